BEGIN TRANSACTION;
CREATE TABLE message_history_calls (
	session INTEGER NOT NULL, 
	"key" TEXT NOT NULL, 
	state TEXT NOT NULL, 
	until DOUBLE, 
	body TEXT NOT NULL, 
	PRIMARY KEY (session, "key")
);
CREATE TABLE message_history_messages (
	session INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	revision INTEGER NOT NULL, 
	starts_turn BOOLEAN NOT NULL, 
	body TEXT NOT NULL, 
	PRIMARY KEY (session, position, revision)
);
INSERT INTO "message_history_messages" VALUES(1,0,1,1,'{"role": "user", "content": [{"type": "text", "text": "[The conversation began before this point.]", "mark": {"kind": "bootstrap"}}], "native": 1}');
INSERT INTO "message_history_messages" VALUES(1,1,1,0,'{"role": "assistant", "content": [{"type": "tool_use", "id": "call_0", "name": "pay", "input": {"amount": 5}}], "native": 1}');
INSERT INTO "message_history_messages" VALUES(1,2,1,0,'{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_0", "content": [{"type": "text", "text": "2"}]}], "native": 1}');
INSERT INTO "message_history_messages" VALUES(1,3,1,0,'{"role": "assistant", "content": [{"type": "text", "text": "ok"}], "native": 1}');
INSERT INTO "message_history_messages" VALUES(1,4,1,1,'{"role": "user", "content": [{"type": "text", "text": "3"}], "native": 1}');
INSERT INTO "message_history_messages" VALUES(1,5,1,0,'{"role": "assistant", "content": [{"type": "tool_use", "id": "call_0", "name": "pay", "input": {"amount": 5}}], "native": 1}');
INSERT INTO "message_history_messages" VALUES(1,6,1,0,'{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_0", "content": [{"type": "text", "text": "3"}]}], "native": 1}');
INSERT INTO "message_history_messages" VALUES(1,7,1,0,'{"role": "assistant", "content": [{"type": "text", "text": "ok"}], "native": 1}');
INSERT INTO "message_history_messages" VALUES(1,8,1,1,'{"role": "user", "content": [{"type": "text", "text": "4"}], "native": 1}');
INSERT INTO "message_history_messages" VALUES(1,9,1,0,'{"role": "assistant", "content": [{"type": "tool_use", "id": "call_0", "name": "pay", "input": {"amount": 5}}], "native": 1}');
INSERT INTO "message_history_messages" VALUES(1,10,1,0,'{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_0", "content": [{"type": "text", "text": "[No result is recorded for this call. The tool may or may not have run.]"}], "is_error": true, "mark": {"kind": "stub", "reason": "not_recorded", "key": "4bc75f9dd4ed6eb8ccc0cf3b034bdcf3", "open": true}}, {"type": "text", "text": "Hi"}], "native": 1, "arrivals": [{"end": 1, "metadata": {}}, {"end": 2, "metadata": {"id": "m1"}}]}');
INSERT INTO "message_history_messages" VALUES(1,11,2,0,'{"role": "assistant", "content": [{"type": "text", "text": "Hello.", "carried": {"anthropic": {"id": "msg_1", "stop_reason": "end_turn"}}}, {"type": "tool_use", "id": "call_0", "name": "pay", "input": {"amount": 5}}, {"type": "tool_use", "id": "call_1", "name": "pay", "input": {"amount": 6}}], "native": 1, "replies": [{"id": "msg_1", "model": "claude-opus-5", "stop_reason": "end_turn", "provider": "anthropic", "usage": {"input_tokens": 12, "output_tokens": 5, "cache_read_tokens": 2}, "raw_usage": {"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": 2}}]}');
INSERT INTO "message_history_messages" VALUES(1,12,2,0,'{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_0", "content": [{"type": "text", "text": "[This call has not run yet.]"}], "mark": {"kind": "stub", "reason": "proposed", "key": "18e68ddc36e5fba5de008faf1d9809b3"}}, {"type": "tool_result", "tool_use_id": "call_1", "content": [{"type": "text", "text": "[This call was approved. It has not run yet.]"}, {"type": "text", "text": "[A person edited the arguments of this call.]", "mark": {"kind": "edited"}}], "mark": {"kind": "stub", "reason": "approved", "decisions": [{"state": "approved", "by": "Ann", "at": 10, "until": 20, "input": {"amount": 4}}], "key": "ffd2e3e152c035cfabbc576132ea8696"}}], "native": 1}');
INSERT INTO "message_history_messages" VALUES(1,12,3,0,'{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_0", "content": [{"type": "text", "text": "[This call has not run yet.]"}], "mark": {"kind": "stub", "reason": "proposed", "key": "18e68ddc36e5fba5de008faf1d9809b3"}}, {"type": "tool_result", "tool_use_id": "call_1", "content": [{"type": "text", "text": "paid"}, {"type": "text", "text": "[A person edited the arguments of this call.]", "mark": {"kind": "edited"}}], "mark": {"kind": "decided", "decisions": [{"state": "approved", "by": "Ann", "at": 10, "until": 20, "input": {"amount": 4}}], "key": "ffd2e3e152c035cfabbc576132ea8696"}}, {"type": "text", "text": "So?"}], "native": 1}');
CREATE TABLE message_history_repairs (
	session INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	revision INTEGER NOT NULL, 
	message INTEGER NOT NULL, 
	body TEXT NOT NULL, 
	PRIMARY KEY (session, position, revision)
);
INSERT INTO "message_history_repairs" VALUES(1,0,1,8,'{"code": "unsettled_call_omitted", "index": 8, "removed": [{"block": {"type": "tool_use", "id": "call_0", "name": "pay", "input": {"amount": 5}, "key": "7ac2dc25fd0f0e075463d390538bc86d"}}], "detail": "call ''call_0'' of ''pay''"}');
INSERT INTO "message_history_repairs" VALUES(1,1,1,0,'{"code": "bootstrap_added", "index": 0, "added": [{"type": "text", "text": "[The conversation began before this point.]", "mark": {"kind": "bootstrap"}}]}');
INSERT INTO "message_history_repairs" VALUES(1,2,1,10,'{"code": "blank_text_dropped", "index": 10, "removed": [{"block": {"type": "text", "text": " "}}]}');
INSERT INTO "message_history_repairs" VALUES(1,3,2,10,'{"code": "result_stubbed", "index": 10, "added": [{"type": "tool_result", "tool_use_id": "call_0", "content": [{"type": "text", "text": "[No result is recorded for this call. The tool may or may not have run.]"}], "is_error": true, "mark": {"kind": "stub", "reason": "not_recorded"}}], "detail": "call ''call_0'' of ''pay'', not_recorded"}');
CREATE TABLE message_history_schema (
	version INTEGER NOT NULL
);
INSERT INTO "message_history_schema" VALUES(3);
CREATE TABLE message_history_sessions (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	id TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	messages INTEGER NOT NULL, 
	repairs INTEGER NOT NULL, 
	system TEXT, 
	UNIQUE (id)
);
INSERT INTO "message_history_sessions" VALUES(1,'alice',3,13,4,'{"role": "system", "content": [{"type": "system", "text": "Be brief."}], "native": 1, "keys": {"dropped": 4, "branches": [[0, 0, "alice", 0], [8, 0, "alice", 1]]}}');
CREATE TABLE message_history_turns (
	id TEXT NOT NULL, 
	worker TEXT NOT NULL, 
	token TEXT NOT NULL, 
	until DOUBLE NOT NULL, 
	PRIMARY KEY (id)
);
CREATE INDEX message_history_calls_that_wait ON message_history_calls (state, until);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('message_history_sessions',1);
COMMIT;
