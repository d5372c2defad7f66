/** What can go wrong between a caller and an endpoint. The first two names are oslo.messaging's: agents match them. */
import { defineError } from '#src/lib/errors.ts';

export const UnsupportedVersion = defineError(
  'UnsupportedVersion',
  400,
  (method: string, version: string, namespace: string | undefined) =>
    `Endpoint does not support RPC version ${version}${namespace === undefined ? '' : ` of namespace ${namespace}`}. ` +
    `Attempted method: ${method}`,
);
export const NoSuchMethod = defineError(
  'NoSuchMethod',
  404,
  (method: string) => `Endpoint does not support RPC method ${method}`,
);
export const MalformedMessage = defineError(
  'MalformedMessage',
  400,
  (reason: string) => `The message is not an RPC request: ${reason}`,
);
export const ForeignHost = defineError(
  'ForeignHost',
  403,
  (method: string, caller: string, claimed: string, path: string) =>
    `${method} was called from the topics of host ${JSON.stringify(caller)}, but its argument ${path} speaks for ` +
    `${JSON.stringify(claimed)}: a host may speak only for itself`,
);
export const MessageTooLarge = defineError(
  'MessageTooLarge',
  413,
  (what: string, bytes: number, limit: number) =>
    `${what} has ${bytes} bytes, the limit is ${limit}: ask for it in pages, or send it in parts`,
);
export const MessagingTimeout = defineError(
  'MessagingTimeout',
  504,
  (topic: string, method: string, milliseconds: number, tries: number) =>
    `No answer to ${method} on ${topic} within ${milliseconds} ms (${tries} tries): the server may be down or overloaded`,
);
export const BrokerRefused = defineError(
  'BrokerRefused',
  502,
  (attempt: string, reason: string) => `The MQTT broker refused to ${attempt}: ${reason}`,
);
export const BrokerUnavailable = defineError(
  'BrokerUnavailable',
  503,
  (attempt: string) => `Cannot ${attempt}: there is no connection to the MQTT broker`,
);
export const InternalError = defineError(
  'InternalError',
  500,
  (method: string) => `${method} failed in the server; its log says why`,
);
/** neutron.api.rpc.callbacks.exceptions */
export const CallbackNotFound = defineError(
  'CallbackNotFound',
  404,
  (resource_type: string) => `Callback for ${resource_type} not found`,
);
/** neutron.api.rpc.handlers.resources_rpc */
export const InvalidResourceTypeClass = defineError(
  'InvalidResourceTypeClass',
  400,
  (resource_type: string) => `Invalid resource type ${resource_type}`,
);
/** oslo_versionedobjects.exception */
export const InvalidTargetVersion = defineError(
  'InvalidTargetVersion',
  400,
  (resource_type: string, wanted: string, ours: string) =>
    `${resource_type} objects cannot be had in version ${wanted}: they have version ${ours} here`,
);
