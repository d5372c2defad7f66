import { describe, expect, it } from 'vitest';
import type { StartError } from '../errors.ts';
import { type ArgumentForms, parseArguments } from './arguments.ts';

const FORMS: ArgumentForms = {
  options: {
    'config-file': { value: 'FILE', many: true, help: '' },
    host: { value: 'HOST', help: '' },
    cast: { help: '' },
  },
  positionals: ['TOPIC', '[JSON]'],
};

describe('parseArguments()', () => {
  it('takes values behind the option and attached to it, in order', () => {
    const args = parseArguments(['--config-file', 'a', 'topic', '--config-file=b=c', '--cast', '{}'], FORMS);
    expect(args.values('config-file')).toEqual(['a', 'b=c']);
    expect(args.positionals).toEqual(['topic', '{}']);
    expect(args.has('cast')).toBe(true);
    expect(args.value('host')).toBeUndefined();
  });

  it('takes everything behind -- as it is', () => {
    expect(parseArguments(['--', '--cast'], FORMS).positionals).toEqual(['--cast']);
  });

  it.each([
    [['topic', '--bogus'], 'there is no option --bogus'],
    [['topic', '--host'], '--host needs a value: --host HOST'],
    [['topic', '--host', 'a', '--host', 'b'], '--host is given twice'],
    [['topic', '--cast=yes'], '--cast takes no value'],
    [[], 'TOPIC is missing'],
    [['topic', '{}', 'more'], '"more" is one word too many'],
    [['topic', '--constructor'], 'there is no option --constructor'],
  ])('refuses %j as misuse', (words, message) => {
    expect(() => parseArguments(words, FORMS)).toThrow(expect.objectContaining({ message, exitCode: 2 }) as StartError);
  });
});
