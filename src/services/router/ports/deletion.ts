/** Floating IPs as ports go: taken off a port inside, and deleted with the port that holds their address. */

import { showRow, showRows } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { Resource } from '#src/lib/plugin.ts';
import { FipAssociated } from '../errors.ts';
import { FLOATING_OWNER, releaseFrom } from '../floatingips/store.ts';
import type { RouterHost } from '../host.ts';
import { LED_TO } from './guards.ts';

const KIND = 'floatingip';

interface Moved {
  readonly original: Resource;
  readonly latest: Resource;
}

export function followDeletions({ callbacks, quota, reading }: RouterHost): void {
  const released = new WeakMap<Context, readonly Moved[]>();

  callbacks.subscribe('port', 'precommit_delete', async (payload) => {
    const { context, resource_id: id, original, tx, notify } = payload;
    const port = (original ?? {}) as Resource;
    if (tx === undefined) return;
    if (port['device_owner'] === FLOATING_OWNER) {
      const [row] = await tx<{ id: string }[]>`select id from floatingips where floating_port_id = ${id}`;
      const floatingip = row === undefined ? undefined : await showRow(tx, reading.floatingips, row.id, undefined);
      if (row === undefined || floatingip === undefined) return;
      await callbacks.publish(KIND, 'precommit_delete', {
        ...{ context, resource_id: row.id, original: floatingip, tx },
        ...(notify === undefined ? {} : { notify }),
      });
      await quota.charge(tx, String(floatingip['project_id']), { floatingip: -1 });
      return;
    }
    // It may run again: what was released before is not.
    released.delete(context);
    if (port[LED_TO] !== true) return;
    const freed = await releaseFrom(tx, id);
    if (!context.is_admin && freed.some(({ project_id }) => project_id !== context.project_id)) {
      throw new FipAssociated(id);
    }
    const moved = (
      await showRows(
        tx,
        reading.floatingips,
        freed.map((floatingip) => floatingip.id),
      )
    ).map((latest) => ({
      latest,
      original: {
        ...{ ...latest, port_id: id, router_id: freed.find((one) => one.id === latest['id'])?.router_id ?? null },
        revision_number: Number(latest['revision_number']) - 1,
      },
    }));
    for (const one of moved) {
      await callbacks.publish(KIND, 'precommit_update', {
        ...{ context, resource_id: String(one.latest['id']), ...one, tx },
        ...(notify === undefined ? {} : { notify }),
      });
    }
    released.set(context, moved);
  });

  callbacks.subscribe('port', 'after_delete', async ({ context }) => {
    for (const one of released.get(context) ?? []) {
      await callbacks.publish(KIND, 'after_update', {
        ...{ context, resource_id: String(one.latest['id']), ...one },
        metadata: { association_event: false },
      });
    }
    released.delete(context);
  });
}
