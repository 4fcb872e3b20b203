/** The categories that videos can have, with YouTube's own ids. */

/** A category. */
export interface Category {
  id: string;
  title: string;
  german: string;
  /** Whether a video can have this category. */
  assignable: boolean;
}

const ROWS = [
  ['1', 'Film & Animation', 'Film & Animation', true],
  ['2', 'Autos & Vehicles', 'Autos & Fahrzeuge', true],
  ['10', 'Music', 'Musik', true],
  ['15', 'Pets & Animals', 'Tiere', true],
  ['17', 'Sports', 'Sport', true],
  ['18', 'Short Movies', 'Kurzfilme', false],
  ['19', 'Travel & Events', 'Reisen & Events', true],
  ['20', 'Gaming', 'Gaming', true],
  ['21', 'Videoblogging', 'Videoblogs', false],
  ['22', 'People & Blogs', 'Menschen & Blogs', true],
  ['23', 'Comedy', 'Comedy', true],
  ['24', 'Entertainment', 'Unterhaltung', true],
  ['25', 'News & Politics', 'Nachrichten & Politik', true],
  ['26', 'Howto & Style', 'Praktische Tipps & Styling', true],
  ['27', 'Education', 'Bildung', true],
  ['28', 'Science & Technology', 'Wissenschaft & Technik', true],
  ['29', 'Nonprofits & Activism', 'Soziales Engagement', true],
] as const;

export const CATEGORIES: readonly Category[] = ROWS.map(([id, title, german, assignable]) => ({
  id,
  title,
  german,
  assignable,
}));

/** Whether a video can have this category. */
export function isAssignable(categoryId: string): boolean {
  return CATEGORIES.some(({ id, assignable }) => id === categoryId && assignable);
}
