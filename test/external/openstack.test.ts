/**
 * The same session with none of the embedded services: PostgreSQL, Mosquitto and Keystone of somebody else's, by configuration
 * alone. NUCLEON_TEST_KEYSTONE_URL and NUCLEON_TEST_KEYSTONE_PASSWORD name a Keystone and its administrator's password.
 */
import { expect } from 'vitest';
import { Lifetime } from '#src/lib/lifetime.ts';
import { passwordFile, passwordOf } from '../broker/brokers.ts';
import { startMosquitto } from '../broker/mosquitto.ts';
import { type Login, openstack } from '../e2e/client.ts';
import { openstackSession } from '../e2e/session.ts';
import { createDatabase } from '../support/database.ts';
import { startNucleon, until } from '../support/nucleon.ts';

const keystone = process.env['NUCLEON_TEST_KEYSTONE_URL'];
const password = process.env['NUCLEON_TEST_KEYSTONE_PASSWORD'] ?? '';

if (keystone === undefined) throw new Error('NUCLEON_TEST_KEYSTONE_URL is not set: this suite is for .ci/run');

const admin: Login = {
  OS_AUTH_URL: keystone,
  OS_IDENTITY_API_VERSION: '3',
  OS_REGION_NAME: 'RegionOne',
  OS_USERNAME: 'admin',
  OS_PASSWORD: password,
  OS_PROJECT_NAME: 'admin',
  OS_USER_DOMAIN_NAME: 'Default',
  OS_PROJECT_DOMAIN_NAME: 'Default',
};

openstackSession('on PostgreSQL, Mosquitto and Keystone of others', async () => {
  const life = new Lifetime();
  try {
    const database = await createDatabase('external');
    life.onStop(() => database.drop());
    const mosquitto = life.add(await startMosquitto(await passwordFile(['server'])));
    const server = life.add(
      await startNucleon({
        env: {
          OS_DATABASE__CONNECTION: database.url.replace('postgresql://', 'postgresql+psycopg2://'),
          OS_MQTT__URL: `mqtt://127.0.0.1:${mosquitto.port}`,
          OS_MQTT__USERNAME: 'server',
          OS_MQTT__PASSWORD: passwordOf('server'),
          OS_DEFAULT__AUTH_STRATEGY: 'keystone',
          OS_KEYSTONE_AUTHTOKEN__AUTH_URL: keystone,
          OS_KEYSTONE_AUTHTOKEN__USERNAME: 'admin',
          OS_KEYSTONE_AUTHTOKEN__PASSWORD: password,
          OS_KEYSTONE_AUTHTOKEN__PROJECT_NAME: 'admin',
          OS_KEYSTONE_AUTHTOKEN__USER_DOMAIN_NAME: 'Default',
          OS_KEYSTONE_AUTHTOKEN__PROJECT_DOMAIN_NAME: 'Default',
          OS_KEYSTONE_AUTHTOKEN__TOKEN_CACHE_TIME: '1',
        },
      }),
    );
    await until('all workers', async () => server.output().includes('all workers are ready'));
    // Neither a database nor a broker of our own was started.
    expect(server.output()).not.toMatch(/embedded (database|MQTT broker)/);
    const service = (await openstack(admin, 'service create --name neutron network -f value -c id')).trim();
    life.onStop(async () => void (await openstack(admin, `service delete ${service}`)));
    await openstack(admin, `endpoint create --region RegionOne ${service} public ${server.url}`);
    return { server, admin, stop: () => life.stop() };
  } catch (error) {
    await life.stop();
    throw error;
  }
});
