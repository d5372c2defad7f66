import { describe, expect, it } from 'vitest';
import { readDevice } from './device_names.ts';

const ID = '8c6cdd6f-2fd4-4c80-9bd7-b3b3b3b3b3b3';

describe('readDevice()', () => {
  it.each([
    [ID, { kind: 'id', id: ID }],
    [`tap${ID}`, { kind: 'id', id: ID }],
    [
      'tap8c6cdd6f-2f',
      {
        kind: 'prefix',
        low: '8c6cdd6f-2f00-0000-0000-000000000000',
        high: '8c6cdd6f-2fff-ffff-ffff-ffffffffffff',
      },
    ],
    [
      'qvo8c6cdd6f-',
      {
        kind: 'prefix',
        low: '8c6cdd6f-0000-0000-0000-000000000000',
        high: '8c6cdd6f-ffff-ffff-ffff-ffffffffffff',
      },
    ],
    ['FA-16-3E-00-00-01', { kind: 'mac', mac: 'fa:16:3e:00:00:01' }],
    ['fa:16:3e:00:00:01', { kind: 'mac', mac: 'fa:16:3e:00:00:01' }],
  ])('takes %s for what it means', (device, meaning) => {
    expect(readDevice(device)).toEqual(meaning);
  });

  it.each([
    '',
    'tap',
    'nope',
    'tap8c6cdd',
    'tapzzzzzzzz-zz',
    '8c6cdd6f2f',
    `${ID}0`,
    `${ID.toUpperCase()}`,
    "tap' or 1=1",
  ])('knows no port by %j', (device) => {
    expect(readDevice(device)).toBeUndefined();
  });
});
