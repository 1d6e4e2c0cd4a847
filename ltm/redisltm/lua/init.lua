-- Marks the store with its format. Steps from older formats have their place
-- here: a script runs alone, so processes that start at once are safe.
if not format then change() end
return 1
