/**
 * video_playlist_items_update: moves an item of a playlist, or changes its note, and keeps the rest.
 *
 * YouTube needs playlist and video of the item, and deletes what a named part leaves out. So the part with the note
 * is named only if the note changes, and the present position is sent again.
 *
 * @see https://developers.google.com/youtube/v3/docs/playlistItems/update
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import type { ToolInputs } from '../inputs/video.ts';
import { given, refusalCode } from '../provider-call.ts';
import { readItem, settableMembers, writeItem } from './own-item.ts';

export const updatePlaylistItem: ToolHandler<ToolInputs['video_playlist_items_update']> = {
  call: async ({ input, http }) => {
    const { playlist_item_id: id, position, note } = input;
    const parts = note === undefined ? ['snippet'] : ['snippet', 'contentDetails'];
    const target = { collection: 'playlistItems', id, parts } as const;
    const present = await readItem(http, target);
    const { position: before, ...place } = settableMembers(present, 'snippet', [
      'playlistId',
      'resourceId',
      'position',
    ]);
    const details = {
      ...settableMembers(present, 'contentDetails', ['startAt', 'endAt']),
      ...given({ note }),
    };
    const write = (to: unknown): Promise<unknown> =>
      writeItem(http, target, {
        snippet: { ...place, ...given({ position: to }) },
        ...(note !== undefined && { contentDetails: details }),
      });
    if (position !== undefined) return write(position);
    try {
      return await write(before);
    } catch (error) {
      // A playlist that YouTube sorts takes no position at all. The refused request changed nothing.
      if (refusalCode(error) !== 'manualSortRequired') throw error;
      return write(undefined);
    }
  },
};
