/** Control routes of one simulated ERP (ERP reference, section 14). */
export interface ErpControl {
  putTenant(tenant: string, settings: object): Promise<void>;
  putRecords(
    tenant: string,
    entity: string,
    records: readonly object[],
    remove?: readonly (string | number)[],
  ): Promise<void>;
  /**
   * Adds a fault to the simulated ERP.
   * @returns the body of the response
   */
  addFault(fault: object): Promise<unknown>;
  removeFaults(): Promise<void>;
  expire(tenant: string, what: 'ACCESS' | 'REFRESH' | 'SECRET' | 'RIGHTS'): Promise<void>;
}

export function erpControl(url: string): ErpControl {
  const send = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await fetch(`${url}/control${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  return {
    async putTenant(tenant, settings) {
      await send('PUT', `/tenants/${tenant}`, settings);
    },
    async putRecords(tenant, entity, records, remove = []) {
      await send('POST', `/tenants/${tenant}/records`, { entity, records, remove });
    },
    addFault: async (fault) => send('POST', '/faults', fault),
    async removeFaults() {
      await send('DELETE', '/faults');
    },
    async expire(tenant, what) {
      await send('POST', `/tenants/${tenant}/expire`, { what });
    },
  };
}
