/**
 * Cyrillic and Greek letters that are printed like a Latin one, in pairs of the letter and what it shows, whatever sound
 * it has. Small letters of which only the capital looks Latin are left out. Reviewed 2026-11.
 */
const pairs = [
  // Cyrillic capitals, then small letters
  'АA ВB ЕE ЅS ІI ЇI ЈJ КK МM НH ОO РP СC ТT УY ХX ЗZ ԚQ ԜW ҮY ЁE ԌG ҺH ӀI',
  'аa еe ѕs іi їi јj оo рp сc уy хx ԛq ԝw үy ёe һh ԁd ӏl',
  // Greek capitals, then small letters
  'ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX',
  'αa γy εe ηn ιi κk νv οo ρp τt υu χx ωw',
];

export const lookAlikeLetters: ReadonlyMap<string, string> = new Map(
  pairs.flatMap((line) => line.split(' ')).map((pair) => [pair.charAt(0), pair.charAt(1)]),
);
