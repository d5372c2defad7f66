/** A module that is no plugin. */
export default { make: () => undefined };
