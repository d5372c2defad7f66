/** What attribute rules and converters need to know of the deployment. */

export interface AttributeSettings {
  /** `[DEFAULT] max_allowed_address_pair` */
  readonly max_allowed_address_pair: number;
  /** `[DEFAULT] dns_domain` */
  readonly dns_domain: string;
  /** `[DEFAULT] base_mac` */
  readonly base_mac: string;
  /** Types of the loaded service plugins (`type:service_plugin_type`). Asked at each use: plugins load after the rules are made. */
  readonly serviceTypes: () => readonly string[];
  /** Object types that RBAC policies can share. */
  readonly rbacObjectTypes: () => readonly string[];
}

/** The options' own defaults, no plugin loaded. */
export const defaultAttributeSettings: AttributeSettings = {
  max_allowed_address_pair: 10,
  dns_domain: 'openstacklocal',
  base_mac: 'fa:16:3e:00:00:00',
  serviceTypes: () => [],
  rbacObjectTypes: () => [],
};
