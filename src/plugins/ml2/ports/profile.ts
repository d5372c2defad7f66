/** What a binding's profile may be, of ports and of their bindings. */
import { InvalidInput } from '#src/lib/errors.ts';

/** Characters that Neutron keeps of one. */
const LONGEST_PROFILE = 4095;

/** Throws for a profile of more characters than Neutron keeps of one. */
export function checkProfile(profile: unknown): void {
  const length = JSON.stringify(profile ?? {}).length;
  if (length > LONGEST_PROFILE) {
    throw new InvalidInput(`binding:profile value too large: ${length} characters as JSON, at most ${LONGEST_PROFILE}`);
  }
}
