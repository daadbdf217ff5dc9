import { roleOf } from './parties.js';
import type { PartyZone } from './parties.js';
import type { ReadCell, TextDocument } from './text-document.js';

/** State or province with its postcode in an address, by country. */
const ADDRESSES: readonly (readonly [country: string, pattern: RegExp])[] = [
  [
    'US',
    /(?<![A-Za-z])(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY]),? \d{5}(?:-\d{4})?(?!\d)/,
  ],
  [
    'US',
    /(?:Alabama|Arizona|Arkansas|California|Colorado|Connecticut|Florida|Georgia|Hawaii|Idaho|Illinois|Indiana|Iowa|Kansas|Kentucky|Louisiana|Maine|Maryland|Massachusetts|Michigan|Minnesota|Missouri|Montana|Nebraska|Nevada|New Hampshire|New Jersey|New Mexico|New York|Carolina|Dakota|Ohio|Oklahoma|Oregon|Pennsylvania|Tennessee|Texas|Utah|Vermont|Virginia|Washington|Wisconsin|Wyoming),? \d{5}(?!\d)/,
  ],
  ['CA', /(?<![A-Za-z])(?:AB|BC|MB|N[BLSTU]|ON|PE|QC|SK|YT)\W{0,3}[A-Z]\d[A-Z] ?\d[A-Z]\d(?![A-Za-z\d])/],
  ['AU', /(?<![A-Za-z])(?:NSW|VIC|QLD|TAS|ACT|NT|WA|SA) \d{4}(?!\d)/],
];
/** Number of lines below and above the name of a party that may contain its address. */
const LINES_OF_ADDRESS = 5;

/**
 * Returns the country of the supplier's address, as shown by a state and a postcode beside its name. Addresses of the
 * buyer do not count.
 */
export function countryOfAddress(
  document: TextDocument,
  name: ReadCell,
  zones: readonly PartyZone[],
): string | undefined {
  const lines = (document.lines[name.page] ?? []).slice(Math.max(0, name.line - 2), name.line + LINES_OF_ADDRESS);
  for (const { cells } of lines) {
    if (cells.some((cell) => roleOf(zones, cell) !== roleOf(zones, name) && isBelow(cell, name))) return undefined;
    // The postcode of an address may be in a separate text cell, so the cells of a line are joined.
    const text = cells
      .filter((cell) => roleOf(zones, cell) !== 'buyer')
      .map((cell) => cell.text)
      .join(' ');
    const found = ADDRESSES.find(([, pattern]) => pattern.test(text));
    if (found !== undefined) return found[0];
  }
  return undefined;
}

function isBelow(cell: ReadCell, name: ReadCell): boolean {
  return cell.line > name.line && cell.left < name.right && cell.right > name.left;
}
