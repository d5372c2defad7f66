/**
 * Simulated agents: they report, are told, ask and answer as real ones do, over real MQTT, and touch no network. The API's tests
 * run against them, and `nucleon agent simulated` runs them by hand.
 */
export { ROLES, type Role } from './configurations.ts';
export { type SimulatedHost, type SimulatedHostOptions, startSimulatedHost, tunnelingIpOf } from './host.ts';
export type { Heard, HostState, LedFloatingIp, ServedNetwork, ServedRouter, WiredPort } from './state.ts';
