/** Limits of what a project may have. */
import { defineGroup } from './define.ts';

const quotas = defineGroup('quotas', {
  default_quota: {
    type: 'integer',
    default: -1,
    effective: true,
    help: 'Limit of what has none of its own; -1: unlimited.',
  },
  quota_driver: { type: 'string', default: 'neutron.db.quota.driver_nolock.DbQuotaNoLockDriver' },
  quota_firewall_group: { type: 'integer', default: 10 },
  quota_firewall_policy: { type: 'integer', default: 10 },
  quota_firewall_rule: { type: 'integer', default: 100 },
  quota_floatingip: { type: 'integer', default: 50, effective: true, help: 'Floating IPs of a project.' },
  quota_flow_classifier: { type: 'integer', default: 100 },
  quota_network: {
    type: 'integer',
    default: 100,
    effective: true,
    help: 'Networks of a project; negative: unlimited.',
  },
  quota_port: { type: 'integer', default: 500, effective: true, help: 'Ports of a project.' },
  quota_port_chain: { type: 'integer', default: 10 },
  quota_port_pair: { type: 'integer', default: 100 },
  quota_port_pair_group: { type: 'integer', default: 10 },
  quota_rbac_policy: {
    type: 'integer',
    default: 10,
    effective: true,
    help: 'RBAC policies of a project; shares that `shared` and `router:external` of networks make count, too.',
  },
  quota_router: { type: 'integer', default: 10, effective: true, help: 'Routers of a project.' },
  quota_router_route: { type: 'integer', default: 30, effective: true, help: 'Extra routes of one router.' },
  quota_security_group: {
    type: 'integer',
    default: 10,
    effective: true,
    help: 'Security groups of a project, its default group among them.',
  },
  quota_security_group_rule: {
    type: 'integer',
    default: 100,
    effective: true,
    help: 'Security group rules of a project, those of its default group among them.',
  },
  quota_service_graphs: { type: 'integer', default: 10 },
  quota_subnet: { type: 'integer', default: 100, effective: true, help: 'Subnets of a project.' },
  quota_tap_flow: { type: 'integer', default: 10 },
  quota_tap_service: { type: 'integer', default: 1 },
  track_quota_usage: { type: 'boolean', default: true },
});

export const quotaOptions = [...quotas];
