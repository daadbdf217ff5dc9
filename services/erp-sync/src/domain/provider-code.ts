/** Codes of the ERPs in contracts and in what is stored. */
export const providerCodes = ['PROVIDER_A', 'PROVIDER_B', 'PROVIDER_C', 'PROVIDER_D'] as const;
export type ProviderCode = (typeof providerCodes)[number];
