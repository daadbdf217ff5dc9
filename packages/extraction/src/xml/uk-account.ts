/**
 * Returns the sort code and account number of a UK bank account, or undefined if the account does not have the UK
 * format.
 */
export function readUkAccount(
  sortCode: string,
  accountNumber: string,
): { readonly sortCode: string; readonly accountNumber: string } | undefined {
  if (!/^\s*[0-9]{2}[- ]?[0-9]{2}[- ]?[0-9]{2}\s*$/.test(sortCode)) return undefined;
  const number = accountNumber.trim();
  return /^[0-9]{6,8}$/.test(number) ? { sortCode: sortCode.replace(/[\s-]/g, ''), accountNumber: number } : undefined;
}
