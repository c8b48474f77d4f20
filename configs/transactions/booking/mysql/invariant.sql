SELECT count(*) FROM booking a JOIN booking b ON a.id < b.id AND a.room_id = b.room_id AND a.starts_at < b.ends_at AND b.starts_at < a.ends_at
