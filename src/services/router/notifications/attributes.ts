/** Read along with routers, and not shown: who has to hear of it when one is gone. */
import type { AttributeExtension } from '#src/lib/ml2/extension_driver.ts';

/** The hosts of the agents that have the router. */
export const AGENT_HOSTS = 'l3_agent_hosts';

export const notificationAttributes = (): AttributeExtension => ({
  attributes: {
    [AGENT_HOSTS]: {
      select: `(select coalesce(json_agg(w.host order by w.host), '[]') from router_l3_agents o
        join agents w on w.id = o.agent_id where o.router_id = r.id)`,
      sort: false,
    },
  },
  internal: [AGENT_HOSTS],
});
