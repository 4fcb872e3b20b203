import { expect, it } from 'vitest';
import { networkOf, wideNetworkOf } from '../../../src/people/sign-in/network.ts';

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['', ''],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::6', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002::', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('counts the address %s to the network %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

it.each([
  ['192.0.2.7', '192.0.2.0/24'],
  ['192.0.2.255', '192.0.2.0/24'],
  ['', ''],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
  ['2001:0DB8:0001:ffff::6', '2001:db8:1::/48'],
  ['2001:db8::1', '2001:db8:0::/48'],
  ['::1', '0:0:0::/48'],
  ['fe80::1%eth0', 'fe80:0:0::/48'],
  ['no address', 'no address'],
])('counts the address %s to the wide network %s', (address, network) => {
  expect(wideNetworkOf(address)).toBe(network);
});
