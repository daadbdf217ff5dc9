/** ERP codes in contracts and in stored records. */
export const providerCodes = ['PROVIDER_A', 'PROVIDER_B', 'PROVIDER_C', 'PROVIDER_D'] as const;
export type ProviderCode = (typeof providerCodes)[number];
