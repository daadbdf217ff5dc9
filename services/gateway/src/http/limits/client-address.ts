import { isIP } from 'node:net';
import type { Socket } from 'node:net';
import type { Request } from 'express';

/**
 * Returns the IP address of the external caller as stated by the trusted proxies or, without proxies, the address of
 * the connection. IPv4 addresses on an IPv6 socket are written as IPv4.
 */
export function clientAddress(request: Request): string {
  const stated = (request.ip ?? '').replace(/^::ffff:/i, '');
  if (isIP(stated) !== 0) return stated;
  return (request.socket.remoteAddress ?? '0.0.0.0').replace(/^::ffff:/i, '');
}

/** Returns the IP address of the other end of a connection, in the same format as {@link clientAddress}. */
export function connectionAddress({ remoteAddress = '' }: Socket): string {
  return remoteAddress.replace(/^::ffff:/i, '');
}

/**
 * Returns the group of IP addresses that shares a limit: a single IPv4 address, or the IPv6 /64 network that one
 * subscriber has.
 */
export function addressGroup(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail = ''] = address.split('%', 1)[0]!.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === '' ? [] : tail.split(':');
  const zeros = address.includes('::') ? Math.max(0, 8 - left.length - right.length) : 0;
  const groups = [...left, ...Array.from({ length: zeros }, () => '0'), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
