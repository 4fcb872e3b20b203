/** The comments at the start. */

/** Video by its index in VIDEOS, author, days after the video, text, and replies as author and text. */
export type SeedThread = readonly [number, string, number, string, ...(readonly [string, string])[]];

/** Held for the owner of the video. */
export const HELD_THREADS: readonly SeedThread[] = [
  [0, 'slowcup', 21, 'Cheap lamps at lamps.example, write to me!'],
];

export const THREADS: readonly SeedThread[] = [
  [
    0,
    'almanac',
    1,
    'The one from 1968 stood in our harbour! Where did you find it?',
    ['northlight', 'In a cellar in Bergen, under a sail.'],
    ['almanac', 'Then we know who painted it green.'],
    ['northlight', 'Please tell us!'],
    ['almanac', 'A letter is on its way.'],
    ['marrowlight', 'We would like to read that letter, too.'],
    ['northlight', 'It will be in the next video.'],
  ],
  [0, 'slowcup', 3, 'How warm does the lens get? Asking for a cup & a saucer.'],
  [
    0,
    'fernway',
    20,
    'Our robots would like such a beacon.\nDo you ship to Wageningen?',
    ['northlight', 'We do.'],
  ],
  [1, 'almanac', 2, 'No reading lost: we checked.'],
  [2, 'marrowlight', 4, 'The lamp at 12:40 runs on our battery.', ['northlight', 'And has for a year.']],
  [3, 'slowcup', 5, 'Lamp oil smells better than LEDs.'],
  [9, 'northlight', 2, 'Which part broke first?', ['marrowlight', 'The coffee machine.']],
  [11, 'almanac', 8, 'The mud alone is worth the film.'],
  [14, 'northlight', 30, 'We send this to every new colleague.'],
  [20, 'northlight', 1, 'The swell was better last week.'],
];
