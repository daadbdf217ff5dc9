/** Words for payment reminders in the languages of the suppliers, after transliteration. Reviewed 2026-11. */
export const REMINDER_WORDS: ReadonlySet<string> = new Set(
  (
    'MAHNUNG ZAHLUNGSERINNERUNG ZAHLUNGSAUFFORDERUNG ERINNERUNG REMINDER NOTICE OVERDUE DUNNING ' +
    'RAPPEL RELANCE SOLLECITO PONAGLENIE WEZWANIE UPOMNIENIE MONIT AANMANING HERINNERING RECORDATORIO LEMBRETE ' +
    'PAAMINDELSE PAMINDELSE PAMINDELSEN RYKKER RYKKERBREV PURRING PAMINNELSE PAMINNELSEN MUISTUTUS MAKSUMUISTUTUS UPOMINKA UPOMIENKA FELSZOLITAS SOMATIE RECLAMACION'
  ).split(' '),
);

/** Words for statements of account, which are documents that list bills. */
export const STATEMENT_WORDS: ReadonlySet<string> = new Set(
  'STATEMENT KONTOAUSZUG RELEVE EXTRACTO ESTRATTO REKENINGOVERZICHT KONTOUDTOG KONTOUTDRAG'.split(' '),
);

/** Ordinals and other words before or after the word of a payment reminder, in words and in Roman digits. */
export const REMINDER_ORDINALS: ReadonlySet<string> = new Set(
  (
    'I II III FIRST SECOND THIRD FINAL LAST PAYMENT ERSTE ZWEITE DRITTE LETZTE PREMIER PREMIERE DEUXIEME TROISIEME ' +
    'DERNIER DERNIERE PRIMO SECONDO TERZO ULTIMO PRIMER PRIMERO SEGUNDO TERCER TERCERO PIERWSZE DRUGIE TRZECIE ' +
    'OSTATECZNE EERSTE TWEEDE DERDE LAATSTE FORSTA ANDRA FORSTE ANDEN'
  ).split(' '),
);

/** Matches the ordinal of a payment reminder in digits, with or without its ending: `2`, `2ND`, `2EME`. */
export const ORDINAL_IN_DIGITS = /^[1-4](?:ST|ND|RD|TH|E|ER|ERE|EME|O|A|DEG|TE|RE)?$/;

/** Words between the word for a payment reminder and the number of the reminded bill, as in `Mahnung zu RE-20418`. */
export const JOINING_WORDS: ReadonlySet<string> = new Set(
  'ZU ZUR TO FOR ON OF DE DO VOOR POUR PER PARA SUR SU TIL TILL'.split(' '),
);
