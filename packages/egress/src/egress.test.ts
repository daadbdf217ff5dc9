import { isIP } from 'node:net';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { openEgress } from './egress.js';
import type { Egress, EgressOverrides } from './egress.js';
import { UnresolvedNameError } from './resolve.js';
import { sendRequest } from './send-request.js';
import type { EgressSettings } from './settings.js';

const none = { EGRESS_ALLOW_CIDRS: [], EGRESS_ALLOW_HTTP: false, EGRESS_DNS_SERVERS: [] };
const options = { connectionsPerOrigin: 4, connectMs: 1_000, peer: 'customer' } as const;

/** URLs of addresses that must not be called, in various spellings. */
const refusedHosts =
  `127.0.0.1 127.1 2130706433 0x7f.1 0177.0.0.1 ①②⑦.⓪.⓪.① 0.0.0.0 [::] [::1] [::ffff:127.0.0.1] [::ffff:7f00:1]
  [::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b::a9fe:a9fe] [64:ff9b:1::1] [2002:7f00:1::] [2001::1] [fc00::1] [fd00:ec2::254] [fe80::1]
  [fec0::1] [ff02::1] [100::1] [5f00::1] [3fff::1] 169.254.169.254 169.254.170.2 168.63.129.16 100.64.0.1 10.0.0.1 172.16.0.1
  172.31.255.255 192.168.0.1 192.0.0.170 192.88.99.1 198.18.0.1 224.0.0.1 240.0.0.1 255.255.255.255`.split(/\s+/);
const allowedHosts = ['172.15.255.255', '172.32.0.1', '100.128.0.1', '8.8.8.8', '[2606:4700:4700::1111]'];

const opened: Egress[] = [];
afterEach(() => {
  for (const egress of opened.splice(0)) egress.close();
});

function open(overrides: EgressOverrides, settings: EgressSettings = none): Egress {
  const egress = openEgress(settings, options, overrides);
  opened.push(egress);
  return egress;
}

const normalized = (host: string): string => new URL(`https://${host}/`).hostname.replace(/^\[|\]$/g, '');

/** A fake network that records the address that would be connected to, without connecting. */
function unconnected(remoteAddress?: string) {
  const reached: string[] = [];
  const buildConnect: EgressOverrides['buildConnect'] = ({ lookup }) => {
    return ({ hostname }, callback) => {
      const end = (address: string): void => {
        reached.push(address);
        if (remoteAddress === undefined) callback(new Error(`would connect to ${address}`), null);
        else callback(null, { remoteAddress, destroy: () => reached.push('destroyed') } as unknown as Socket);
      };
      if (isIP(hostname) !== 0) {
        end(hostname);
        return;
      }
      lookup(hostname, { all: true }, (error, addresses) => {
        if (error !== null) callback(error, null);
        else end((addresses as { address: string }[])[0]?.address ?? '');
      });
    };
  };
  return { reached, buildConnect };
}

const call = (egress: Egress, url: string) =>
  sendRequest(egress.agents, { method: 'GET', url, headers: {} }, new AbortController().signal);

describe('an address that is not public', () => {
  test.each(refusedHosts)('is refused when %s is registered', async (host) => {
    const egress = open({});
    expect(await egress.checkUrl(`https://${host}/hook`)).toHaveProperty('problem');
  });

  test.each(refusedHosts)('is not connected to when a stored URL names %s', async (host) => {
    const { reached, buildConnect } = unconnected();
    await expect(call(open({ buildConnect }), `https://${host}/hook`)).rejects.toThrow('must not be called');
    expect(reached).toEqual([]);
  });

  test.each(refusedHosts)('is not connected to when a name resolves to %s', async (host) => {
    const { reached, buildConnect } = unconnected();
    const egress = open({ buildConnect, resolve: async () => [normalized(host)] });
    expect(await egress.checkUrl('https://hooks.example.com/')).toHaveProperty('problem');
    await expect(call(egress, 'https://hooks.example.com/')).rejects.toThrow('must not be called');
    expect(reached).toEqual([]);
  });

  test.each([
    ['a private address behind a public one', ['8.8.8.8', '10.0.0.1']],
    ['a public address behind a private one', ['10.0.0.1', '8.8.8.8']],
    ['a private IPv6 address next to a public IPv4 address', ['8.8.8.8', 'fd00::1']],
  ])('refuses the name that has %s', async (_, addresses) => {
    const { reached, buildConnect } = unconnected();
    const egress = open({ buildConnect, resolve: async () => addresses });
    expect(await egress.checkUrl('https://hooks.example.com/')).toHaveProperty('problem');
    await expect(call(egress, 'https://hooks.example.com/')).rejects.toThrow('must not be called');
    expect(reached).toEqual([]);
  });

  test('is not connected to when the name moves there after it was registered', async () => {
    const answers = [['8.8.8.8'], ['127.0.0.1']];
    const { reached, buildConnect } = unconnected();
    const egress = open({ buildConnect, resolve: async () => answers.shift() ?? [] });
    expect(await egress.checkUrl('https://hooks.example.com/')).toHaveProperty('url');
    await expect(call(egress, 'https://hooks.example.com/')).rejects.toThrow('must not be called');
    expect(reached).toEqual([]);
  });

  test('is left at once when the connection turns out to lead there', async () => {
    const { reached, buildConnect } = unconnected('127.0.0.1');
    const egress = open({ buildConnect, resolve: async () => ['8.8.8.8'] });
    await expect(call(egress, 'https://hooks.example.com/')).rejects.toThrow('must not be called');
    expect(reached).toEqual(['8.8.8.8', 'destroyed']);
  });
});

describe('a public address', () => {
  test.each(allowedHosts)('is accepted and connected to: %s', async (host) => {
    const { reached, buildConnect } = unconnected();
    const egress = open({ buildConnect });
    expect(await egress.checkUrl(`https://${host}/hook`)).toHaveProperty('url');
    await expect(call(egress, `https://${host}/hook`)).rejects.toThrow('would connect to');
    expect(reached).toEqual([normalized(host)]);
  });

  test.each(allowedHosts)('is connected to through a name: %s', async (host) => {
    const { reached, buildConnect } = unconnected();
    const egress = open({ buildConnect, resolve: async () => [normalized(host)] });
    expect(await egress.checkUrl('https://hooks.example.com/')).toHaveProperty('url');
    await expect(call(egress, 'https://hooks.example.com/')).rejects.toThrow('would connect to');
    expect(reached).toEqual([normalized(host)]);
  });
});

test('an address that the operator named is called like a public one', async () => {
  const { reached, buildConnect } = unconnected();
  const egress = open({ buildConnect }, { ...none, EGRESS_ALLOW_CIDRS: ['127.0.0.1/32'] });
  expect(await egress.checkUrl('https://127.0.0.1:8443/')).toHaveProperty('url');
  expect(await egress.checkUrl('https://127.0.0.2:8443/')).toHaveProperty('problem');
  await expect(call(egress, 'https://127.0.0.1:8443/')).rejects.toThrow('would connect to');
  expect(reached).toEqual(['127.0.0.1']);
});

describe('a name that cannot be resolved', () => {
  test('is accepted at registration and fails when it is called', async () => {
    const { reached, buildConnect } = unconnected();
    const egress = open({
      buildConnect,
      resolve: async (name) => {
        throw new UnresolvedNameError(name);
      },
    });
    expect(await egress.checkUrl('https://hooks.example.com/')).toHaveProperty('url');
    await expect(call(egress, 'https://hooks.example.com/')).rejects.toThrow('has no address');
    expect(reached).toEqual([]);
  });

  test('is accepted at registration after three seconds without an answer', async () => {
    const egress = open({ resolve: () => new Promise(() => {}) });
    expect(await egress.checkUrl('https://hooks.example.com/')).toHaveProperty('url');
  });

  test('has no address when the answer is empty', async () => {
    const { buildConnect } = unconnected();
    const egress = open({ buildConnect, resolve: async () => [] });
    await expect(call(egress, 'https://hooks.example.com/')).rejects.toThrow('has no address');
  });
});

test('a call connects with the name, the port and the server name of the URL', async () => {
  const asked: object[] = [];
  const egress = open({
    buildConnect: () => (options, callback) => {
      asked.push(options);
      callback(new Error('asked'), null);
    },
  });
  await expect(call(egress, 'https://hooks.example.com/')).rejects.toThrow('asked');
  await expect(call(egress, 'http://hooks.example.com:8080/')).rejects.toThrow('asked');
  expect(asked).toMatchObject([
    { protocol: 'https:', hostname: 'hooks.example.com', port: '443', servername: 'hooks.example.com' },
    { protocol: 'http:', hostname: 'hooks.example.com', port: '8080' },
  ]);
});
