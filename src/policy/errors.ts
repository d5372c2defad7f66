/** A set of rules that cannot be used. Met at start, before anybody can ask anything: a policy is never half loaded. */
export class PolicyLoadError extends Error {
  override readonly name = 'PolicyLoadError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The policy rules cannot be used:\n  ${problems.join('\n  ')}`);
    this.problems = problems;
  }
}
