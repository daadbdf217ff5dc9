import { BlockList, isIP } from 'node:net';

/**
 * IPv4 ranges that are not public, and 168.63.129.16, which a cloud provider uses for its own virtual machines. The
 * egress guard refuses them.
 */
const IPV4_DENIED = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/** Public IPv6 ranges: global unicast, except the ranges that map to IPv4 or are reserved for documentation. */
const IPV6_PUBLIC = '2000::/3';
const IPV6_DENIED = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'];

const denied4 = blockListOf(IPV4_DENIED);
const public6 = blockListOf([IPV6_PUBLIC]);
const denied6 = blockListOf(IPV6_DENIED);

/**
 * Checks whether an IP address (without brackets) may be called. The result is false for a string that is not an
 * address.
 */
export type IsAllowedAddress = (address: string) => boolean;

/**
 * The addresses that customer URLs may resolve to (reference webhooks-and-events, section 4): public addresses and the
 * addresses that the operator allows.
 * @param allowedCidrs ranges such as `127.0.0.1/32`, for tests and development
 */
export function allowedAddresses(allowedCidrs: readonly string[]): IsAllowedAddress {
  const named = blockListOf(allowedCidrs);
  return (address) => {
    switch (isIP(address)) {
      case 4:
        return named.check(address, 'ipv4') || !denied4.check(address, 'ipv4');
      case 6:
        if (named.check(address, 'ipv6')) return true;
        return public6.check(address, 'ipv6') && !denied6.check(address, 'ipv6');
      default:
        return false;
    }
  };
}

/**
 * Parses an IP address range such as `192.0.2.0/24`.
 * @returns undefined for a string that is not an address range
 */
export function parseCidr(text: string): { readonly address: string; readonly bits: number } | undefined {
  const [, address = '', digits = ''] = /^([0-9A-Fa-f.:]+)\/(\d{1,3})$/.exec(text) ?? [];
  const version = isIP(address);
  const bits = Number(digits);
  return version === 0 || bits > (version === 4 ? 32 : 128) ? undefined : { address, bits };
}

function blockListOf(cidrs: readonly string[]): BlockList {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const parsed = parseCidr(cidr);
    if (parsed === undefined) throw new Error(`${cidr} is not a range of IP addresses such as 192.0.2.0/24.`);
    list.addSubnet(parsed.address, parsed.bits, isIP(parsed.address) === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}
