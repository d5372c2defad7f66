/** Reading the configurations that agents report: they may hold anything. */

type Configurations = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Configurations =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The member as an object; empty if it is none. */
export const objectOf = (value: unknown): Configurations => (isObject(value) ? value : {});

/** The keys of a mapping. */
export const namesOf = (value: unknown): readonly string[] => Object.keys(objectOf(value));

/** The texts of a list. */
export const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

/** The text, if it is one that says something. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
