/** ISO codes of the member states of the European Union, which form one value added tax area. Reviewed 2026-11. */
export const europeanUnion: readonly string[] =
  'AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE'.split(' ');
