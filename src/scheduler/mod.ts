/** Who does what where: the choice of agents for a resource, and periodic work with one runner over all machines. */
export { type Candidate, type ChoiceMethod, chooseAgents } from './choice.ts';
export { type PeriodicOptions, periodic } from './periodic.ts';
