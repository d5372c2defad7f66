/** Arguments that methods of agents share. */
import * as v from 'valibot';

/** Devices in one call at most: an answer for so many stays below what a message may be. */
const MOST_DEVICES = 1000;

export const TEXT = v.pipe(v.string(), v.maxLength(255));
export const UUID = v.pipe(v.string(), v.uuid('must be a UUID in small letters'), v.toLowerCase());
const FLAG = v.nullish(v.boolean(), false);
const DEVICES = v.pipe(v.array(TEXT), v.maxLength(MOST_DEVICES));
const DEVICE_LIST = v.pipe(
  v.nullish(DEVICES, () => []),
  v.transform((devices) => [...new Set(devices)]),
);
const RESYNC = { refresh_tunnels: FLAG, agent_restarted: FLAG };

export const ONE_DEVICE = v.object({ device: TEXT });
export const ONE_DEVICE_UP = v.object({ device: TEXT, ...RESYNC });
export const MANY_DEVICES = v.object({ devices: DEVICE_LIST });
export const DEVICES_UP_AND_DOWN = v.object({ devices_up: DEVICE_LIST, devices_down: DEVICE_LIST, ...RESYNC });
export const ONE_NETWORK = v.object({ network: UUID });

/** How a list that may be long is asked for in parts; an extension of ours, which agents of Neutron do without. */
export const PAGE = {
  limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1000))),
  marker: v.optional(UUID),
};
