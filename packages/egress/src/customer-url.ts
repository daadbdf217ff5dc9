import { isIP } from 'node:net';
import { parseUrl } from '@invoicecontrol/values/url';

const URL_LENGTH_MAX = 2_048;
const HOST_LENGTH_MAX = 253;
const HTTPS_PORT = 443;
const PORT_MIN = 1_024;
/**
 * Ports of databases, brokers, caches and orchestrators. No webhook receiver uses such a port, so customer URLs with it
 * are refused.
 */
const PORTS_DENIED: ReadonlySet<number> = new Set([
  2049, 2375, 2376, 2377, 2378, 2379, 2380, 3306, 4222, 5432, 5984, 6379, 6443, 8222, 9042, 9092, 9200, 10250, 11211,
  15672, 27017,
]);
const SUFFIXES_DENIED = ['.local', '.internal', '.localhost', '.home.arpa', '.onion'];

/** A valid customer URL, or a sentence that states what to change in the URL. */
export type CustomerUrl = { readonly url: URL } | { readonly problem: string };

/**
 * Checks a URL that a customer registers (reference webhooks-and-events, section 4). The host name is not resolved and
 * the address is not checked in this function; egress.ts does both.
 * @param text the URL as it was sent
 */
export function readCustomerUrl(text: string, { isHttpAllowed }: { readonly isHttpAllowed: boolean }): CustomerUrl {
  // Characters in a customer URL that the WHATWG URL parser would silently repair or drop.
  if (/[\\\t\r\n]/.test(text) || text !== text.trim()) {
    return { problem: 'must not contain surrounding spaces, line breaks, tabs or backslashes' };
  }
  const url = parseUrl(text);
  if (url === undefined) return { problem: 'must be a URL such as https://example.com/hooks' };
  if (url.protocol !== 'https:' && !(isHttpAllowed && url.protocol === 'http:')) {
    return { problem: 'must begin with https://' };
  }
  if (url.username !== '' || url.password !== '') return { problem: 'must not contain a user name or password' };
  if (text.includes('#')) return { problem: 'must not contain a fragment (#)' };
  url.hostname = url.hostname.replace(/\.$/, '');
  const problem = problemOfHost(url.hostname) ?? problemOfPort(url);
  if (problem !== undefined) return { problem };
  if (url.href.length > URL_LENGTH_MAX) return { problem: `must have at most ${URL_LENGTH_MAX} characters` };
  return { url };
}

/** Returns the host of a URL as an address without brackets, or undefined if the host is a name. */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(bare) === 0 ? undefined : bare;
}

function problemOfHost(host: string): string | undefined {
  if (literalAddress(host) !== undefined) return undefined;
  if (host.length > HOST_LENGTH_MAX) return `must have a host of at most ${HOST_LENGTH_MAX} characters`;
  if (!host.includes('.') || SUFFIXES_DENIED.some((suffix) => host.endsWith(suffix))) {
    return 'must have a public host name, such as hooks.example.com';
  }
  return undefined;
}

function problemOfPort({ port, protocol }: URL): string | undefined {
  const number = port === '' ? HTTPS_PORT : Number(port);
  if (port === '' && protocol === 'http:') return undefined;
  if (number === HTTPS_PORT || (number >= PORT_MIN && !PORTS_DENIED.has(number))) return undefined;
  return `must have the port ${HTTPS_PORT}, or one from ${PORT_MIN} on that no database or broker uses`;
}
