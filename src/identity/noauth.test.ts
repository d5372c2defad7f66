import { describe, expect, test } from 'vitest';
import { createNoauth } from './noauth.ts';

const REMOTE = { address: '127.0.0.1' };
const authenticate = (headers: Record<string, string>) =>
  createNoauth({ bindHost: '127.0.0.1', forced: false }).authenticate(new Headers(headers), REMOTE);

test('no identity header is the administrator, of a project of its own', async () => {
  expect(await authenticate({})).toMatchObject({
    user_id: null,
    project_id: 'fake_project_id',
    roles: ['admin', 'manager', 'member', 'reader'],
  });
});

test('the headers are believed, older names too', async () => {
  expect(
    await authenticate({
      'X-User-Id': 'u',
      'X-User-Name': 'ada',
      'X-Tenant-Id': 'p',
      'X-Tenant-Name': 'lab',
      'X-Roles': 'Member, observer',
    }),
  ).toMatchObject({
    user_id: 'u',
    user_name: 'ada',
    project_id: 'p',
    project_name: 'lab',
    roles: ['member', 'observer', 'reader'],
  });
});

test('somebody without a role header is a member, somebody with an empty project still is somebody', async () => {
  expect((await authenticate({ 'X-Project-Id': 'p' })).roles).toEqual(['member', 'reader']);
  expect((await authenticate({ 'X-Project-Id': '', 'X-User-Id': 'u' })).project_id).toBeNull();
});

describe('where it may listen', () => {
  test.each(['127.0.0.1', '127.8.0.1', '::1', '[::1]', 'localhost'])('%s is loopback', (bindHost) => {
    expect(() => createNoauth({ bindHost, forced: false })).not.toThrow();
  });
  test.each(['0.0.0.0', '::', '192.0.2.1', '127.0.0.1.example.org', ''])('%s is refused unless forced', (bindHost) => {
    expect(() => createNoauth({ bindHost, forced: false })).toThrow(/bind_host to 127\.0\.0\.1/);
    expect(() => createNoauth({ bindHost, forced: true })).not.toThrow();
  });
});
