import { catalogueOf, inLanguage } from '../../messages/in-language.js';

export const catalogue = catalogueOf({
  en: {
    title: 'Restore a deleted organization',
    intro: 'An organization can be restored for 30 days, with the recovery token that its deletion has shown.',
    token: 'Recovery token',
    submit: 'Restore the organization',
    back: 'Sign in',
    keyTitle: 'The organization was restored',
    keyText: 'All earlier API keys stay revoked. With this new key of an owner you can sign in. It is shown once.',
  },
  de: {
    title: 'Gelöschte Organisation wiederherstellen',
    intro:
      'Eine Organisation kann 30 Tage lang wiederhergestellt werden, mit dem Wiederherstellungscode, den ihre Löschung gezeigt hat.',
    token: 'Wiederherstellungscode',
    submit: 'Organisation wiederherstellen',
    back: 'Anmelden',
    keyTitle: 'Die Organisation wurde wiederhergestellt',
    keyText:
      'Alle früheren API-Schlüssel bleiben widerrufen. Mit diesem neuen Schlüssel eines Eigentümers können Sie sich anmelden. Er wird einmal gezeigt.',
  },
  pl: {
    title: 'Przywróć usuniętą organizację',
    intro: 'Organizację można przywrócić przez 30 dni, kodem odzyskiwania pokazanym przy usunięciu.',
    token: 'Kod odzyskiwania',
    submit: 'Przywróć organizację',
    back: 'Zaloguj się',
    keyTitle: 'Organizacja została przywrócona',
    keyText:
      'Wszystkie dawne klucze API pozostają unieważnione. Tym nowym kluczem właściciela możesz się zalogować. Klucz jest pokazywany raz.',
  },
});

export const texts = inLanguage(catalogue);
