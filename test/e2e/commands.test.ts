/** All commands of the `openstack` client that the core plugin stands behind, and the SDK under it, on one configured server. */
import { afterAll, beforeAll, describe } from 'vitest';
import { Lifetime } from '#src/lib/lifetime.ts';
import { documents } from './areas/documents.ts';
import { networks } from './areas/networks.ts';
import { operation } from './areas/operation.ts';
import { pools } from './areas/pools.ts';
import { ports } from './areas/ports.ts';
import { routerExtras } from './areas/router_extras.ts';
import { sdk } from './areas/sdk.ts';
import { securityGroups } from './areas/security_groups.ts';
import { sharing } from './areas/sharing.ts';
import { subnets } from './areas/subnets.ts';
import { executable } from './client.ts';
import { type Cloud, startCloud } from './scene.ts';

describe.skipIf(executable === undefined)('openstack', () => {
  const life = new Lifetime();
  let cloud: Cloud;
  beforeAll(async () => {
    cloud = await startCloud(life);
  });
  afterAll(() => life.stop());

  for (const area of [
    networks,
    subnets,
    ports,
    routerExtras,
    pools,
    securityGroups,
    sharing,
    operation,
    sdk,
    documents,
  ])
    area(() => cloud);
});
