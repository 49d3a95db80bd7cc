CREATE TABLE message_history_schema (
	version INTEGER NOT NULL
);
CREATE TABLE message_history_sessions (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	id TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	messages INTEGER NOT NULL, 
	repairs INTEGER NOT NULL, 
	system TEXT, 
	owner TEXT DEFAULT '' NOT NULL, 
	title TEXT DEFAULT '' NOT NULL, 
	labels TEXT DEFAULT '[]' NOT NULL, 
	created DOUBLE DEFAULT '0' NOT NULL, 
	updated DOUBLE DEFAULT '0' NOT NULL, 
	UNIQUE (id)
);
CREATE INDEX message_history_sessions_by_time ON message_history_sessions (updated, number);
CREATE INDEX message_history_sessions_of_owners ON message_history_sessions (owner, updated, number);
CREATE TABLE message_history_labels (
	session INTEGER NOT NULL, 
	label TEXT NOT NULL, 
	owner TEXT NOT NULL, 
	updated DOUBLE NOT NULL, 
	PRIMARY KEY (session, label)
);
CREATE INDEX message_history_labels_by_time ON message_history_labels (label, updated, session);
CREATE INDEX message_history_labels_of_owners ON message_history_labels (owner, label, updated, session);
CREATE TABLE message_history_texts (
	number INTEGER NOT NULL, 
	session INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	owner TEXT NOT NULL, 
	text TEXT NOT NULL, 
	PRIMARY KEY (number)
);
CREATE INDEX message_history_texts_of_sessions ON message_history_texts (session, position);
CREATE TABLE message_history_messages (
	session INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	revision INTEGER NOT NULL, 
	starts_turn BOOLEAN NOT NULL, 
	body TEXT NOT NULL, 
	PRIMARY KEY (session, position, revision)
);
CREATE TABLE message_history_repairs (
	session INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	revision INTEGER NOT NULL, 
	message INTEGER NOT NULL, 
	body TEXT NOT NULL, 
	PRIMARY KEY (session, position, revision)
);
CREATE TABLE message_history_calls (
	session INTEGER NOT NULL, 
	"key" TEXT NOT NULL, 
	state TEXT NOT NULL, 
	until DOUBLE, 
	body TEXT NOT NULL, 
	PRIMARY KEY (session, "key")
);
CREATE INDEX message_history_calls_that_wait ON message_history_calls (state, until);
CREATE TABLE message_history_turns (
	id TEXT NOT NULL, 
	worker TEXT NOT NULL, 
	token TEXT NOT NULL, 
	until DOUBLE NOT NULL, 
	PRIMARY KEY (id)
);
CREATE VIRTUAL TABLE message_history_words USING fts5(text, owner, content='', columnsize=0);
CREATE TRIGGER message_history_words_in AFTER INSERT ON message_history_texts BEGIN INSERT INTO message_history_words(rowid, text, owner) VALUES (new.number, new.text, 'o' || hex(new.owner)); END;
CREATE TRIGGER message_history_words_out AFTER DELETE ON message_history_texts BEGIN INSERT INTO message_history_words(message_history_words, rowid, text, owner) VALUES ('delete', old.number, old.text, 'o' || hex(old.owner)); END;
CREATE TRIGGER message_history_words_anew AFTER UPDATE ON message_history_texts BEGIN INSERT INTO message_history_words(message_history_words, rowid, text, owner) VALUES ('delete', old.number, old.text, 'o' || hex(old.owner)); INSERT INTO message_history_words(rowid, text, owner) VALUES (new.number, new.text, 'o' || hex(new.owner)); END;
INSERT INTO message_history_schema VALUES (4);
INSERT INTO message_history_sessions VALUES (1, 'alice', 3, 13, 4, '{"role": "system", "content": [{"type": "system", "text": "Be brief."}], "native": 1, "keys": {"dropped": 4, "branches": [[0, 0, "alice", 0], [8, 0, "alice", 1]]}}', 'ann', 'The weather', '["team"]', 1.0, 2.0);
INSERT INTO message_history_labels VALUES (1, 'team', 'ann', 2.0);
INSERT INTO message_history_texts VALUES (1, 1, 3, 'ann', 'ok');
INSERT INTO message_history_texts VALUES (2, 1, 4, 'ann', '3');
INSERT INTO message_history_texts VALUES (3, 1, 7, 'ann', 'ok');
INSERT INTO message_history_texts VALUES (4, 1, 8, 'ann', '4');
INSERT INTO message_history_texts VALUES (5, 1, 10, 'ann', 'Hi');
INSERT INTO message_history_texts VALUES (6, 1, 11, 'ann', 'Hello.');
INSERT INTO message_history_texts VALUES (7, 1, 12, 'ann', 'So?');
INSERT INTO message_history_texts VALUES (8, 1, -1, 'ann', 'The weather');
INSERT INTO message_history_messages VALUES (1, 0, 1, 1, '{"role": "user", "content": [{"type": "text", "text": "[The conversation began before this point.]", "mark": {"kind": "bootstrap"}}], "native": 1}');
INSERT INTO message_history_messages VALUES (1, 1, 1, 0, '{"role": "assistant", "content": [{"type": "tool_use", "id": "call_0", "name": "pay", "input": {"amount": 5}}], "native": 1}');
INSERT INTO message_history_messages VALUES (1, 2, 1, 0, '{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_0", "content": [{"type": "text", "text": "2"}]}], "native": 1}');
INSERT INTO message_history_messages VALUES (1, 3, 1, 0, '{"role": "assistant", "content": [{"type": "text", "text": "ok"}], "native": 1}');
INSERT INTO message_history_messages VALUES (1, 4, 1, 1, '{"role": "user", "content": [{"type": "text", "text": "3"}], "native": 1}');
INSERT INTO message_history_messages VALUES (1, 5, 1, 0, '{"role": "assistant", "content": [{"type": "tool_use", "id": "call_0", "name": "pay", "input": {"amount": 5}}], "native": 1}');
INSERT INTO message_history_messages VALUES (1, 6, 1, 0, '{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_0", "content": [{"type": "text", "text": "3"}]}], "native": 1}');
INSERT INTO message_history_messages VALUES (1, 7, 1, 0, '{"role": "assistant", "content": [{"type": "text", "text": "ok"}], "native": 1}');
INSERT INTO message_history_messages VALUES (1, 8, 1, 1, '{"role": "user", "content": [{"type": "text", "text": "4"}], "native": 1}');
INSERT INTO message_history_messages VALUES (1, 9, 1, 0, '{"role": "assistant", "content": [{"type": "tool_use", "id": "call_0", "name": "pay", "input": {"amount": 5}}], "native": 1}');
INSERT INTO message_history_messages VALUES (1, 10, 1, 0, '{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_0", "content": [{"type": "text", "text": "[No result is recorded for this call. The tool may or may not have run.]"}], "is_error": true, "mark": {"kind": "stub", "reason": "not_recorded", "key": "4bc75f9dd4ed6eb8ccc0cf3b034bdcf3", "open": true}}, {"type": "text", "text": "Hi"}], "native": 1, "arrivals": [{"end": 1, "metadata": {}}, {"end": 2, "metadata": {"id": "m1"}}]}');
INSERT INTO message_history_messages VALUES (1, 11, 2, 0, '{"role": "assistant", "content": [{"type": "text", "text": "Hello.", "carried": {"anthropic": {"id": "msg_1", "stop_reason": "end_turn"}}}, {"type": "tool_use", "id": "call_0", "name": "pay", "input": {"amount": 5}}, {"type": "tool_use", "id": "call_1", "name": "pay", "input": {"amount": 6}}], "native": 1, "replies": [{"id": "msg_1", "model": "claude-opus-5", "stop_reason": "end_turn", "provider": "anthropic", "usage": {"input_tokens": 12, "output_tokens": 5, "cache_read_tokens": 2}, "raw_usage": {"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": 2}}]}');
INSERT INTO message_history_messages VALUES (1, 12, 2, 0, '{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_0", "content": [{"type": "text", "text": "[This call has not run yet.]"}], "mark": {"kind": "stub", "reason": "proposed", "key": "18e68ddc36e5fba5de008faf1d9809b3"}}, {"type": "tool_result", "tool_use_id": "call_1", "content": [{"type": "text", "text": "[This call was approved. It has not run yet.]"}, {"type": "text", "text": "[A person edited the arguments of this call.]", "mark": {"kind": "edited"}}], "mark": {"kind": "stub", "reason": "approved", "decisions": [{"state": "approved", "by": "Ann", "at": 10, "until": 20, "input": {"amount": 4}}], "key": "ffd2e3e152c035cfabbc576132ea8696"}}], "native": 1}');
INSERT INTO message_history_messages VALUES (1, 12, 3, 0, '{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_0", "content": [{"type": "text", "text": "[This call has not run yet.]"}], "mark": {"kind": "stub", "reason": "proposed", "key": "18e68ddc36e5fba5de008faf1d9809b3"}}, {"type": "tool_result", "tool_use_id": "call_1", "content": [{"type": "text", "text": "paid"}, {"type": "text", "text": "[A person edited the arguments of this call.]", "mark": {"kind": "edited"}}], "mark": {"kind": "decided", "decisions": [{"state": "approved", "by": "Ann", "at": 10, "until": 20, "input": {"amount": 4}}], "key": "ffd2e3e152c035cfabbc576132ea8696"}}, {"type": "text", "text": "So?"}], "native": 1}');
INSERT INTO message_history_repairs VALUES (1, 0, 1, 8, '{"code": "unsettled_call_omitted", "index": 8, "removed": [{"block": {"type": "tool_use", "id": "call_0", "name": "pay", "input": {"amount": 5}, "key": "7ac2dc25fd0f0e075463d390538bc86d"}}], "detail": "call ''call_0'' of ''pay''"}');
INSERT INTO message_history_repairs VALUES (1, 1, 1, 0, '{"code": "bootstrap_added", "index": 0, "added": [{"type": "text", "text": "[The conversation began before this point.]", "mark": {"kind": "bootstrap"}}]}');
INSERT INTO message_history_repairs VALUES (1, 2, 1, 10, '{"code": "blank_text_dropped", "index": 10, "removed": [{"block": {"type": "text", "text": " "}}]}');
INSERT INTO message_history_repairs VALUES (1, 3, 2, 10, '{"code": "result_stubbed", "index": 10, "added": [{"type": "tool_result", "tool_use_id": "call_0", "content": [{"type": "text", "text": "[No result is recorded for this call. The tool may or may not have run.]"}], "is_error": true, "mark": {"kind": "stub", "reason": "not_recorded"}}], "detail": "call ''call_0'' of ''pay'', not_recorded"}');
