/** Rule for the tax ids of a country that the validation library does not know. */
interface NationalRule {
  /** Form of the tax id without spaces and punctuation. No other country prints tax ids in this form. */
  readonly form: RegExp;
  /** Form of the tax id as it is printed, if the form without punctuation occurs in other countries too. */
  readonly printed?: RegExp;
  /** Checks the check digit. Absent if the validation library checks it. */
  readonly isRight?: (body: string) => boolean;
  /** True if the country also issues tax ids in this form whose check digit follows another rule. */
  readonly hasOtherRules?: true;
}

/**
 * Rules for tax ids that are printed without their country although their form shows it: the CNPJ of Brazil, the
 * business number of Canada with its account for sales tax, the GSTIN of India, and the registration number of Japan.
 * Fourteen digits without punctuation may also be a SIRET from France, so only a printed CNPJ shows its country.
 */
const rules: Readonly<Record<string, NationalRule>> = {
  BR: { form: /^[0-9]{14}$/, printed: /^[0-9]{2}\.[0-9]{3}\.[0-9]{3}\/[0-9]{4}-[0-9]{2}$/ },
  CA: { form: /^[0-9]{9}RT[0-9]{4}$/, isRight: (body) => isRightLuhn(body.slice(0, 9)) },
  IN: { form: /^[0-9]{2}[A-Z]{5}[0-9]{4}[A-Z][1-9A-Z]Z[0-9A-Z]$/, isRight: isRightGstin },
  // In Japan, the registration numbers of persons begin with T too, but have no corporate number with its check digit.
  JP: { form: /^T[0-9]{13}$/, isRight: isRightCorporateNumber, hasOtherRules: true },
};

/**
 * Returns the country of a tax id whose form shows it.
 * @param raw the tax id as printed
 * @param text the tax id without spaces and punctuation, in upper case
 */
export function countryOfForm(raw: string, text: string): string | undefined {
  return Object.entries(rules).find(
    ([, { form, printed }]) => form.test(text) && (printed?.test(raw.trim()) ?? true),
  )?.[0];
}

/** Checks the check digit of a tax id. The result is undefined if no rule is known for its country and form. */
export function nationalValidity(
  body: string,
  country: string,
): 'VALID' | 'FORMAT_ONLY' | 'WRONG_CHECK_DIGIT' | undefined {
  const rule = rules[country];
  if (rule?.isRight === undefined || !rule.form.test(body)) return undefined;
  if (rule.isRight(body)) return 'VALID';
  return rule.hasOtherRules === true ? 'FORMAT_ONLY' : 'WRONG_CHECK_DIGIT';
}

/** Checks the Luhn digit at the end of a Canadian business number. */
function isRightLuhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

/**
 * Checks the last character of a GSTIN. Letters count from 10, every second character counts twice, and both digits of
 * a product in base 36 are added.
 */
function isRightGstin(body: string): boolean {
  const characters = [...body];
  const check = characters.pop() ?? '';
  const sum = characters.reduce((total, character, index) => {
    const product = parseInt(character, 36) * (index % 2 === 0 ? 1 : 2);
    return total + Math.floor(product / 36) + (product % 36);
  }, 0);
  return (36 - (sum % 36)) % 36 === parseInt(check, 36);
}

/**
 * Checks the first digit of a Japanese corporate number. Of the other twelve digits, counted from the end, every second
 * one counts twice.
 */
function isRightCorporateNumber(body: string): boolean {
  const [check = '', ...digits] = body.slice(1);
  const sum = digits.reverse().reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 2), 0);
  return 9 - (sum % 9) === Number(check);
}
