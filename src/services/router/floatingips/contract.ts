/** What other plugins use of floating IPs: ports as those see them, with the routers that lead there, and what refuses them. */
export {
  FloatingIPNotFound,
  FloatingIPPortAlreadyAssociated,
  RouterInterfaceInUseByFloatingIP,
} from '../errors.ts';
export { floatingIpScope } from '../reading.ts';
export { type Inside, type Target, targets, type Wish } from './store.ts';
