/** What reading the configuration brought to light, each with its place, so that an operator can go and mend it. */

/**
 * `error`: the value cannot be used, the server must not start. `unknown`: no option has this name. `without-effect`:
 * Neutron's option, but nothing here reads it. `deprecated`: still read, but under a name or an option that will go.
 */
export type FindingKind = 'error' | 'unknown' | 'without-effect' | 'deprecated';

export interface Finding {
  readonly kind: FindingKind;
  readonly group: string;
  /** Null where the finding is about a whole section or a line. */
  readonly name: string | null;
  /** The path as it was given, or `environment`. */
  readonly file: string;
  /** Null for the environment, and for a file that cannot be read. */
  readonly line: number | null;
  /** What is wrong and what to do; never a secret. */
  readonly message: string;
  /** The known name that was probably meant. */
  readonly nearest?: string;
}

/** One line for a person: `/etc/neutron/neutron.conf:12: unknown: ...`. */
export function formatFinding(finding: Finding): string {
  const place = finding.line === null ? finding.file : `${finding.file}:${finding.line}`;
  return `${place}: ${finding.kind}: ${finding.message}`;
}
