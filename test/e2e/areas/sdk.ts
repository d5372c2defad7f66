/** openstacksdk, as programs use it: the answers of `sdk.py`, each by the name that it has there. */
import { describe, expect, it } from 'vitest';
import { python } from '../client.ts';
import type { Area } from '../scene.ts';

const FIVE = ['sdk0', 'sdk1', 'sdk2', 'sdk3', 'sdk4'];

export const sdk: Area = (cloud) => {
  describe('openstacksdk', () => {
    it('gets what it expects from every call', async () => {
      const lines = (await python(cloud().adminLogin, 'sdk.py')).trimEnd().split('\n');
      expect(Object.fromEntries(lines.map((line) => JSON.parse(line)))).toEqual({
        'bulk ports': [FIVE, ['bulk'], 5],
        'find by name': true,
        'find by id': 'sdk',
        'find nothing': null,
        'find must': 'NotFoundException None',
        'networks by filters': ['sdk'],
        'external networks': [],
        'ports in pages': FIVE,
        'ports by address': ['sdk0'],
        'ports by subnet and address': ['sdk0'],
        'ports by group': 5,
        'ports of a subnet': 5,
        'unknown filter': 'BadRequestException 400',
        update: 'changed',
        'update of a revision': 'sdk',
        'update of an old revision': 'PreconditionFailedException 412',
        set_tags: ['a', 'b'],
        add_tag: ['a', 'b', 'c'],
        remove_tag: ['b', 'c'],
        'networks by tags': ['sdk'],
        check_tag: 'sdk',
        remove_all_tags: [],
        quota: 100,
        'quota with details': ['limit', 'reserved', 'used'],
        'default quota': 500,
        quotas: 0,
        'set quota': 50,
        'delete quota': null,
        'bulk rules': [22, 80, 443],
        rules: 5,
        'rules by filters': 1,
        'delete of an old revision': 'PreconditionFailedException 412',
        rbac: ['*'],
        'rbac update': true,
        'rbac delete': null,
        'pools by filters': ['sdk'],
        'pool update': ['10.160.0.0/15'],
        'address group add': ['10.0.0.0/8', '11.0.0.0/8'],
        'address group remove': ['11.0.0.0/8'],
        agents: ['network1'],
        zones: ['nova'],
        extension: 'quotas',
        availability: 5,
        segments: ['vxlan'],
        'cloud layer': 1400,
        'cloud subnet': null,
        'cloud port': 'cloud',
        'cloud search': ['cloud'],
        'cloud group': 'd',
        'cloud rule': 'tcp',
        'cloud quotas': 100,
        'cloud delete': [true, true, true],
        'delete again': 'NotFoundException 404',
      });
    });
  });
};
