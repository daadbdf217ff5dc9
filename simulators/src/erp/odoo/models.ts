import type { Row } from '../call.js';

export type FieldType =
  'integer' | 'char' | 'boolean' | 'monetary' | 'date' | 'datetime' | 'selection' | 'many2one' | 'many2many';

export interface Model {
  readonly fields: Readonly<Record<string, FieldType>>;
  /** Odoo models that many2one and many2many fields refer to. */
  readonly relations: Readonly<Record<string, string>>;
  /** Default values of fields of new Odoo records. Other fields are empty: false, 0 or []. */
  readonly defaults: Row;
}

interface ModelParts {
  readonly fields: Readonly<Record<string, FieldType>>;
  readonly relations?: Readonly<Record<string, string>>;
  readonly defaults?: Row;
}

function model({ fields, relations = {}, defaults = {} }: ModelParts): Model {
  return {
    fields: { id: 'integer', display_name: 'char', ...fields, create_date: 'datetime', write_date: 'datetime' },
    relations,
    defaults,
  };
}

const company: Row = { company_id: [1, 'My Company'] };
const euro: Row = { currency_id: [126, 'EUR'] };

/**
 * Models of Odoo that are needed for purchasing. `major` is the version, because Odoo 20 renamed fields of bank
 * accounts.
 */
export function modelsOf(major: number): Readonly<Record<string, Model>> {
  const accountNames: Readonly<Record<string, FieldType>> =
    major >= 20
      ? { account_number: 'char', sanitized_account_number: 'char', holder_name: 'char' }
      : {
          acc_number: 'char',
          sanitized_acc_number: 'char',
          acc_type: 'selection',
          acc_holder_name: 'char',
          bank_bic: 'char',
        };
  return {
    'res.company': model({
      fields: { name: 'char', currency_id: 'many2one', partner_id: 'many2one', vat: 'char' },
      relations: { currency_id: 'res.currency', partner_id: 'res.partner' },
      defaults: euro,
    }),
    'res.currency': model({ fields: { name: 'char', symbol: 'char', active: 'boolean' }, defaults: { active: true } }),
    'res.country': model({ fields: { name: 'char', code: 'char' } }),
    'res.country.state': model({
      fields: { name: 'char', code: 'char', country_id: 'many2one' },
      relations: { country_id: 'res.country' },
    }),
    'res.users': model({
      fields: { name: 'char', login: 'char', active: 'boolean', company_id: 'many2one' },
      relations: { company_id: 'res.company' },
      defaults: { active: true, ...company },
    }),
    'res.partner': model({
      fields: {
        name: 'char',
        vat: 'char',
        company_registry: 'char',
        ref: 'char',
        street: 'char',
        street2: 'char',
        city: 'char',
        zip: 'char',
        state_id: 'many2one',
        country_id: 'many2one',
        email: 'char',
        phone: 'char',
        active: 'boolean',
        is_company: 'boolean',
        parent_id: 'many2one',
        commercial_partner_id: 'many2one',
        company_id: 'many2one',
        supplier_rank: 'integer',
        customer_rank: 'integer',
      },
      relations: {
        state_id: 'res.country.state',
        country_id: 'res.country',
        parent_id: 'res.partner',
        commercial_partner_id: 'res.partner',
        company_id: 'res.company',
      },
      defaults: { active: true, is_company: true },
    }),
    'res.partner.bank': model({
      fields: {
        ...accountNames,
        currency_id: 'many2one',
        partner_id: 'many2one',
        company_id: 'many2one',
        allow_out_payment: 'boolean',
        active: 'boolean',
      },
      relations: { currency_id: 'res.currency', partner_id: 'res.partner', company_id: 'res.company' },
      defaults: { active: true },
    }),
    'account.move': model({
      fields: {
        name: 'char',
        ref: 'char',
        move_type: 'selection',
        state: 'selection',
        payment_state: 'selection',
        partner_id: 'many2one',
        commercial_partner_id: 'many2one',
        partner_bank_id: 'many2one',
        invoice_date: 'date',
        invoice_date_due: 'date',
        date: 'date',
        currency_id: 'many2one',
        amount_untaxed: 'monetary',
        amount_tax: 'monetary',
        amount_total: 'monetary',
        amount_residual: 'monetary',
        invoice_origin: 'char',
        payment_reference: 'char',
        reversed_entry_id: 'many2one',
        company_id: 'many2one',
      },
      relations: {
        partner_id: 'res.partner',
        commercial_partner_id: 'res.partner',
        partner_bank_id: 'res.partner.bank',
        currency_id: 'res.currency',
        reversed_entry_id: 'account.move',
        company_id: 'res.company',
      },
      defaults: { move_type: 'in_invoice', state: 'posted', payment_state: 'not_paid', ...euro, ...company },
    }),
    'account.payment': model({
      fields: {
        name: 'char',
        // The field with the text of an Odoo payment was called `ref` up to Odoo 17.
        ...(major >= 18 ? { memo: 'char' } : { ref: 'char' }),
        date: 'date',
        amount: 'monetary',
        payment_type: 'selection',
        partner_type: 'selection',
        partner_id: 'many2one',
        partner_bank_id: 'many2one',
        currency_id: 'many2one',
        state: 'selection',
        is_matched: 'boolean',
        payment_reference: 'char',
        reconciled_bill_ids: 'many2many',
        company_id: 'many2one',
      },
      relations: {
        partner_id: 'res.partner',
        partner_bank_id: 'res.partner.bank',
        currency_id: 'res.currency',
        reconciled_bill_ids: 'account.move',
        company_id: 'res.company',
      },
      defaults: { payment_type: 'outbound', partner_type: 'supplier', state: 'paid', ...euro, ...company },
    }),
    'purchase.order': model({
      fields: {
        name: 'char',
        partner_id: 'many2one',
        partner_ref: 'char',
        date_order: 'datetime',
        currency_id: 'many2one',
        amount_untaxed: 'monetary',
        amount_tax: 'monetary',
        amount_total: 'monetary',
        state: 'selection',
        invoice_status: 'selection',
        company_id: 'many2one',
      },
      relations: { partner_id: 'res.partner', currency_id: 'res.currency', company_id: 'res.company' },
      defaults: { state: 'purchase', ...euro, ...company },
    }),
  };
}

export function emptyValue(type: FieldType): unknown {
  switch (type) {
    case 'integer':
    case 'monetary':
      return 0;
    case 'many2many':
      return [];
    case 'char':
    case 'boolean':
    case 'date':
    case 'datetime':
    case 'selection':
    case 'many2one':
      return false;
  }
}
