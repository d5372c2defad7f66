/** What must not be printed: the one list of names that hold secrets, and how a URL loses its password. */

const SECRET_NAME = /passw|secret|token|authorization|credential|api_?key|private_?key|cookie/i;

/** Whether a field or option of this name holds a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** The text with `***` for every password inside a URL (`postgresql://user:***@host/db`). */
export function maskUrlPasswords(text: string): string {
  // The password may itself hold "@" or ":": everything up to the last "@" before a slash or blank is taken.
  return text.includes('://') && text.includes('@') ? text.replaceAll(/(:\/\/[^/@\s:]*):[^/\s]*@/g, '$1:***@') : text;
}
