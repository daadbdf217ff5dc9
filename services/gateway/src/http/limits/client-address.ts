import { isIP } from 'node:net';
import type { Socket } from 'node:net';
import type { Request } from 'express';

/**
 * The address of the caller outside, as far as the trusted proxies tell it; without proxies that of the connection.
 * IPv4 that arrives over an IPv6 socket is written as IPv4.
 */
export function clientAddress(request: Request): string {
  const stated = (request.ip ?? '').replace(/^::ffff:/i, '');
  if (isIP(stated) !== 0) return stated;
  return (request.socket.remoteAddress ?? '0.0.0.0').replace(/^::ffff:/i, '');
}

/** The address at the other end of a connection, written like {@link clientAddress}. */
export function connectionAddress({ remoteAddress = '' }: Socket): string {
  return remoteAddress.replace(/^::ffff:/i, '');
}

/** Returns the group of addresses that shares a limit: one IPv4 address, or the /64 that one subscriber of IPv6 has. */
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
