/** What other plugins use of routers: who sees them. */
export { routerScope } from '../reading.ts';
