import type { Caller } from './client.js';

const roles = ['VIEWER', 'ANALYST', 'ADMIN', 'OWNER'];

/** A right of the API: the lowest role and the scope that an operation needs. */
export interface Right {
  readonly role: 'VIEWER' | 'ANALYST' | 'ADMIN' | 'OWNER';
  readonly scope: string;
}

export const rights = {
  readFindings: { role: 'VIEWER', scope: 'findings:read' },
  reviewFindings: { role: 'VIEWER', scope: 'findings:review' },
  shareViews: { role: 'ADMIN', scope: 'findings:read' },
  assignFindings: { role: 'ANALYST', scope: 'findings:assign' },
  readInvoices: { role: 'VIEWER', scope: 'invoices:read' },
  readDocuments: { role: 'ANALYST', scope: 'documents:read' },
  analyzeAgain: { role: 'ANALYST', scope: 'invoices:write' },
  readPayments: { role: 'VIEWER', scope: 'payments:read' },
  writePayments: { role: 'ANALYST', scope: 'payments:write' },
  readOrganization: { role: 'VIEWER', scope: 'organization:read' },
  sendUploads: { role: 'VIEWER', scope: 'uploads:write' },
  writeInvoices: { role: 'VIEWER', scope: 'invoices:write' },
  readRules: { role: 'ANALYST', scope: 'findings:read' },
  writeRules: { role: 'ADMIN', scope: 'routing:write' },
  readVendors: { role: 'ANALYST', scope: 'invoices:read' },
  readScans: { role: 'VIEWER', scope: 'scans:read' },
  writeScans: { role: 'VIEWER', scope: 'scans:write' },
  readWebhooks: { role: 'VIEWER', scope: 'webhooks:read' },
  writeWebhooks: { role: 'VIEWER', scope: 'webhooks:write' },
  administerWebhooks: { role: 'ADMIN', scope: 'webhooks:write' },
  readErp: { role: 'ADMIN', scope: 'erp:read' },
  writeErp: { role: 'ADMIN', scope: 'erp:write' },
  readKsef: { role: 'ADMIN', scope: 'ksef:read' },
  writeKsef: { role: 'ADMIN', scope: 'ksef:write' },
  submitKsef: { role: 'ADMIN', scope: 'ksef:submit' },
  readAdministration: { role: 'ADMIN', scope: 'organization:read' },
  administer: { role: 'ADMIN', scope: 'organization:write' },
  own: { role: 'OWNER', scope: 'organization:write' },
  exportAll: { role: 'OWNER', scope: 'organization:read' },
  pay: { role: 'ADMIN', scope: 'billing:write' },
} as const satisfies Record<string, Right>;

/**
 * Checks whether the signed-in person has a right. The console shows controls accordingly; the API checks every request
 * itself.
 */
export function may({ key }: Pick<Caller, 'key'>, { role, scope }: Right): boolean {
  const scopes: readonly string[] = key.scopes;
  return roles.indexOf(key.role) >= roles.indexOf(role) && (scopes.includes('*') || scopes.includes(scope));
}
