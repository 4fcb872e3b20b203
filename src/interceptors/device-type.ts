/** What kind of device a user agent names. A guess that suffices for policies about people's browsers; pure. */

/** As docs/contract.md#what-an-interceptor-is-asked names them. */
export type DeviceType = 'Desktop' | 'Mobile' | 'Tablet' | 'Unknown';

const TABLET = /iPad|Tablet|PlayBook|Kindle|Silk\/|Android(?!.*Mobile)/;
const MOBILE = /Mobi|iPhone|iPod|Android|Windows Phone|BlackBerry|Opera Mini/;
const DESKTOP = /Windows NT|Macintosh|X11|CrOS|\(Linux|; Linux/;

/** Televisions and consoles name a desktop's or a phone's system beside their own. */
const OTHER = /\bTV\b|SmartTV|SMART-TV|AppleTV|Tizen(?!.*Mobile)|Web0S|PlayStation|Xbox|Nintendo/;

/** @param userAgent the header as sent; programs (`curl/8.5`, `job/1.0`) are Unknown */
export function deviceTypeOf(userAgent: string): DeviceType {
  if (!/^(?:Mozilla|Opera)\//.test(userAgent) || OTHER.test(userAgent)) return 'Unknown';
  if (TABLET.test(userAgent)) return 'Tablet';
  if (MOBILE.test(userAgent)) return 'Mobile';
  return DESKTOP.test(userAgent) ? 'Desktop' : 'Unknown';
}
