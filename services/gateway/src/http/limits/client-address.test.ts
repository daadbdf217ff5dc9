import { describe, expect, test } from 'vitest';
import { addressGroup } from './client-address.js';

describe('who shares a limit by address', () => {
  test.each([
    ['192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['1:2::', '1:2:0:0::/64'],
  ])('%s belongs to %s', (address, group) => {
    expect(addressGroup(address)).toBe(group);
  });
});
