/** What an agent is told of its own questions. */
import { defineError } from '#src/lib/errors.ts';

/**
 * More routers than an answer holds. Its name is that of the error at which Neutron's agents ask for half as many the next time
 * (`fetch_and_sync_all_routers`): an answer with some of them would make such an agent take down the rest.
 */
export const TooManyRouters = defineError(
  'MessagingTimeout',
  504,
  (count: number) =>
    `sync_routers: ${count} routers are more than an answer holds: ask for fewer of them, or in pages with limit and after`,
);
