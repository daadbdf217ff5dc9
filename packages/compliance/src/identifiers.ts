/** Check digits of organization numbers, by ICD scheme (documents reference, section 9.2, COMMON-R040 to R057). */

/** Checks the check digit of a GS1 number, which is computed with the weights 3 and 1 from the right. */
export function isGln(value: string): boolean {
  if (!/^[0-9]{2,}$/.test(value)) return false;
  const digits = Array.from(value.slice(0, -1), Number).reverse();
  const sum = digits.reduce((total, digit, index) => total + digit * (index % 2 === 0 ? 3 : 1), 0);
  return (10 - (sum % 10)) % 10 === Number(value.at(-1));
}

/** Checks the check digit of a Norwegian organisation number (modulus 11). */
export function isNorwegian(value: string): boolean {
  if (!/^[0-9]{9}$/.test(value) || Number(value) === 0) return false;
  const digits = Array.from(value.slice(0, -1), Number).reverse();
  const sum = digits.reduce((total, digit, index) => total + digit * ((index % 6) + 2), 0);
  return (11 - (sum % 11)) % 11 === Number(value.at(-1));
}

/** Checks the check digits of a Belgian enterprise number (modulus 97). */
export function isBelgian(value: string): boolean {
  return /^[0-9]{10}$/.test(value) && 97 - (Number(value.slice(0, 8)) % 97) === Number(value.slice(8));
}

/** Checks a Swedish organization number, which has ten digits with a Luhn check digit. */
export function isSwedish(value: string): boolean {
  if (!/^[0-9]{10}$/.test(value)) return false;
  const digits = Array.from(value.slice(0, 9), Number).reverse();
  const sum = digits.reduce((total, digit, index) => {
    const weighted = index % 2 === 0 ? digit * 2 : digit;
    return total + (weighted > 9 ? weighted - 9 : weighted);
  }, 0);
  return (10 - (sum % 10)) % 10 === Number(value.at(-1));
}

/** Checks the check digits of an Australian business number (modulus 89). */
export function isAustralian(value: string): boolean {
  if (!/^[0-9]{11}$/.test(value)) return false;
  const weights = [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19];
  const sum = [...value].reduce((total, digit, index) => {
    return total + (Number(digit) - (index === 0 ? 1 : 0)) * (weights[index] ?? 0);
  }, 0);
  return sum % 89 === 0;
}

/** Checks the form of an Italian tax code, which has 16 characters for a person, or 11 digits. */
export function isItalianTaxCode(value: string): boolean {
  return /^[0-9]{11}$/.test(value) || /^[A-Z]{6}[0-9]{2}[A-Z][0-9]{2}[A-Z0-9]{3}[0-9][A-Z]$/i.test(value);
}

/**
 * Checks an Italian VAT number, which has eleven digits with a Luhn check digit after the prefix IT. Numbers without
 * this prefix are accepted unchecked.
 */
export function isItalianVatNumber(value: string): boolean {
  if (!/^it/i.test(value)) return true;
  const digits = value.slice(2);
  if (!/^[0-9]{11}$/.test(digits)) return false;
  const sum = [...digits].reduce((total, digit, index) => {
    const weighted = index % 2 === 0 ? Number(digit) : Number(digit) * 2;
    return total + (weighted > 9 ? weighted - 9 : weighted);
  }, 0);
  return sum % 10 === 0;
}
