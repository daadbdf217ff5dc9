/**
 * Letters from other scripts that look like a Latin letter, each followed by that Latin letter, regardless of its
 * sound. Small letters are left out if only their capital looks Latin. Reviewed 2026-11.
 */
const pairs = [
  // Cyrillic capital letters, then small letters, each followed by the Latin letters that it looks like.
  'АA ВB ЕE ЅS ІI ЇI ЈJ КK МM НH ОO РP СC ТT УY ХX ЗZ ԚQ ԜW ҮY ЁE ԌG ҺH ӀI',
  'аa еe ѕs іi їi јj оo рp сc уy хx ԛq ԝw үy ёe һh ԁd ӏl',
  // Greek capital letters, then small letters, each followed by the Latin letters that it looks like.
  'ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX',
  'αa γy εe ηn ιi κk νv οo ρp τt υu χx ωw',
  // Letters of the Armenian, Cherokee, Lisu and Coptic scripts with the Latin letters that they look like.
  'ՍU ՕO ՏS ԼL ՈN սu օo ոn հh յj ցg զq գq ռn ղn աw լl',
  'ᎠD ᎡR ᎢT ᎥI ᎩY ᎪA ᎫJ ᎬE ᎳW ᎷM ᎻH ᏀG ᏃZ ᏒR ᏔW ᏕS ᏙV ᏚS ᏞL ᏟC ᏢP ᏦK ᏴB ᏳG ᎽY ᏏB ᏧD',
  'ꓐB ꓑP ꓓD ꓔT ꓖG ꓗK ꓙJ ꓚC ꓜZ ꓝF ꓟM ꓠN ꓡL ꓢS ꓣR ꓦV ꓧH ꓪW ꓫX ꓬY ꓮA ꓰE ꓲI ꓳO ꓴU',
  'ⲎH ⲔK ⲘM ⲚN ⲞO ⲢP ⲤC ⲦT ⲬX ⲨY',
];

const CHEROKEE = /\p{Script=Cherokee}/u;

export const lookAlikeLetters: ReadonlyMap<string, string> = new Map(
  pairs
    .flatMap((line) => line.split(' '))
    .map((pair) => [pair.charAt(0), pair.charAt(1)] as const)
    // The small letters of the Cherokee script look like small Latin capitals.
    .flatMap(([letter, shown]) =>
      CHEROKEE.test(letter)
        ? [
            [letter, shown],
            [letter.toLowerCase(), shown],
          ]
        : [[letter, shown]],
    ),
);

/** Letters that look like a digit. Next to digits they are read as that digit. Reviewed 2026-11. */
export const lookAlikeDigits: ReadonlyMap<string, string> = new Map(
  ['З3', 'з3', 'Ӡ3', 'Ч4', 'ч4', 'б6', 'Ꮞ4', 'Ꮾ6'].map((pair) => [pair.charAt(0), pair.charAt(1)]),
);
