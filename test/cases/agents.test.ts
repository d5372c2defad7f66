import { describe, expect, it } from 'vitest';
import { unknownId, useCloud } from './support.ts';

const people = useCloud('agents');

describe('agents', () => {
  it('are an administrator’s to see, and come by no request', async () => {
    const { admin, alice } = people();
    expect(await alice.list('agents')).toEqual([]);
    expect(await admin.list('agents')).toEqual([]);
    await admin.refused([400, 403, 404, 405]).create('agent', { host: 'x' });
    await admin.refused(404, 'AgentNotFound').show('agent', unknownId());
    await alice.refused(404).show('agent', unknownId());
    await admin.refused(404, 'AgentNotFound').change('agent', unknownId(), { description: 'x' });
    await admin.refused(404, 'AgentNotFound').remove('agent', unknownId());
  });
});
