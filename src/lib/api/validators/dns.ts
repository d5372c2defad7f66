/** Rules for DNS names (RFC 1123; neutron_lib.api.validators.dns). */
import type { Validator } from '../attributes.ts';
import { pythonTruthy } from '../python.ts';
import type { AttributeSettings } from '../settings.ts';
import { quoted, string } from './scalars.ts';

const LABEL = /^(?:[a-z0-9-]{1,63}|<project_id>|<project_name>|<user_name>|<user_id>)$/;
const FQDN_MAX_LENGTH = 255;
/** The value of `dns_domain` that means "none set". */
const NO_DOMAIN = 'openstacklocal.';

/** What is wrong with a relative or absolute name, or null. */
function format(name: string, maximum = FQDN_MAX_LENGTH): string | null {
  const relative = name.endsWith('.') ? name.slice(0, -1) : name;
  const reason =
    relative.length > maximum ? `'${relative}' exceeds the ${maximum} characters of a FQDN` : labels(relative);
  return reason === null ? null : `${quoted(name)} not a valid PQDN or FQDN. Reason: ${reason}`;
}

function labels(name: string): string | null {
  const parts = name.split('.');
  for (const label of parts) {
    if (label === '') return 'Encountered an empty component';
    if (label.startsWith('-') || label.endsWith('-')) return `Name '${label}' must not start or end with a hyphen`;
    if (!LABEL.test(label)) {
      return `Name '${label}' must be 1-63 characters long, each of which can only be alphanumeric or a hyphen`;
    }
  }
  const top = parts.at(-1) as string;
  return parts.length > 1 && /^[0-9]+$/.test(top) ? `TLD '${top}' must not be all numeric` : null;
}

const limit = (value: unknown) => (typeof value === 'number' ? value : FQDN_MAX_LENGTH);

/** A port's name: with a `dns_domain` configured, the two must make a legal FQDN, or the name must end with the domain. */
const dns_host_name =
  (settings: AttributeSettings): Validator =>
  (value, maximum) => {
    if (!pythonTruthy(value)) return null;
    if (typeof value !== 'string') return string(value, null);
    const wrong = format(value, limit(maximum));
    if (wrong !== null) return wrong;
    const domain = settings.dns_domain.endsWith('.') ? settings.dns_domain : `${settings.dns_domain}.`;
    if (settings.dns_domain === '' || domain === NO_DOMAIN) return null;
    const suffix = `.${domain}`;
    if (!value.endsWith('.')) {
      return value.length + suffix.length > FQDN_MAX_LENGTH
        ? `${quoted(value)} and the configured dns_domain '${domain}' together exceed the ${FQDN_MAX_LENGTH} characters of a FQDN`
        : null;
    }
    return value.length > suffix.length && value.endsWith(suffix)
      ? null
      : `${quoted(value)} is a FQDN and must end with at least one label before the configured dns_domain '${domain}'`;
  };

/** A floating IP's name: relative, with room left for a domain. */
const fip_dns_host_name: Validator = (value, maximum) => {
  const wrong = string(value, null);
  if (wrong !== null || value === '') return wrong;
  const name = value as string;
  if (name.endsWith('.')) return `${quoted(name)} is a FQDN. It should be a relative domain name`;
  const room = limit(maximum) - 3;
  return (
    format(name) ??
    (name.length > room ? `${quoted(name)} has ${name.length} characters, a domain fits only behind ${room}` : null)
  );
};

/** A domain: absolute, with room left for a name. */
const dns_domain_name: Validator = (value, maximum) => {
  const wrong = string(value, null);
  if (wrong !== null || value === '') return wrong;
  const name = value as string;
  if (!name.endsWith('.')) return `${quoted(name)} is not a FQDN`;
  const room = limit(maximum) - 2;
  return (
    format(name, limit(maximum)) ??
    (name.length > room ? `${quoted(name)} has ${name.length} characters, a name fits only before ${room}` : null)
  );
};

/** The rules of this file, by name. */
export function dnsRules(settings: AttributeSettings) {
  return {
    'type:dns_host_name': dns_host_name(settings),
    'type:fip_dns_host_name': fip_dns_host_name,
    'type:dns_domain_name': dns_domain_name,
  } satisfies Readonly<Record<string, Validator>>;
}
