/**
 * video_comment_threads_insert: posts a comment on a video.
 *
 * YouTube's documentation also requires the channel of the video, but clients omit it. If YouTube insists, the channel
 * is looked up and the request repeated; the refused request posted nothing.
 *
 * @see https://developers.google.com/youtube/v3/docs/commentThreads/insert
 */
import type { ProviderRequest, ToolHandler } from '../../catalog/model/types.ts';
import { textAt } from '../answer-value.ts';
import type { ToolInputs } from '../inputs/video.ts';
import { given, refusalCode, refusalStatus } from '../provider-call.ts';
import { findItem } from './own-item.ts';

type CommentInput = ToolInputs['video_comment_threads_insert'];

export const insertCommentThread: ToolHandler<CommentInput> = {
  call: async ({ input, http }) => {
    try {
      return await http.send(thread(input, undefined));
    } catch (error) {
      const isChannelMissing =
        refusalStatus(error) === 400 && refusalCode(error) === 'channelOrVideoIdMissing';
      if (!isChannelMissing) throw error;
      const video = await findItem(http, { collection: 'videos', id: input.video_id, parts: ['snippet'] });
      const channelId = textAt(video, 'snippet', 'channelId');
      if (channelId === undefined) throw error;
      return http.send(thread(input, channelId));
    }
  },
};

function thread({ video_id, text }: CommentInput, channelId: string | undefined): ProviderRequest {
  const topLevelComment = { snippet: { textOriginal: text } };
  return {
    method: 'POST',
    host: 0,
    path: '/youtube/v3/commentThreads',
    query: [['part', 'snippet']],
    headers: {},
    body: { snippet: given({ channelId, videoId: video_id, topLevelComment }) },
  };
}
