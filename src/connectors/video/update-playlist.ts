/**
 * video_playlist_update: changes the given values and keeps the rest.
 *
 * @see https://developers.google.com/youtube/v3/docs/playlists/update
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import type { ToolInputs } from '../inputs/video.ts';
import { given } from '../provider-call.ts';
import { readItem, settableMembers, writeItem, type ItemTarget } from './own-item.ts';

const SNIPPET = ['title', 'description', 'defaultLanguage', 'tags'];
const STATUS = ['privacyStatus', 'podcastStatus'];

export const updatePlaylist: ToolHandler<ToolInputs['video_playlist_update']> = {
  call: async ({ input, http }) => {
    const { playlist_id, title, description, default_language, privacy_status } = input;
    const target: ItemTarget = { collection: 'playlists', id: playlist_id, parts: ['snippet', 'status'] };
    const playlist = await readItem(http, target);
    return writeItem(http, target, {
      snippet: {
        ...settableMembers(playlist, 'snippet', SNIPPET),
        ...given({ title, description, defaultLanguage: default_language }),
      },
      status: {
        ...settableMembers(playlist, 'status', STATUS),
        ...given({ privacyStatus: privacy_status }),
      },
    });
  },
};
